import BoxOffice
import Contract
import FoundationEssentials
import JSONCoding
import ServiceRuntime
import Text
import WebServer

/// The board's JSON API, version 1. docs/board.md describes every address.
struct API: Sendable {
    let model: ReadModel
    let streams: EventStreamHub
    let images: ImageCache
    let requests: RequestForwarder
    let sessions: BoardSessions
    /// Whether the page shows a shop even before a product is known.
    let hasOpenMarket: Bool
    let basePath: BasePath
    let statuses: StatusCache
    let answers: SharedResponses
    /// Whether the board is for its own machine alone, so that every client there is the operator.
    let isPrivate: Bool
    /// Whether visitors reach the board by HTTPS, whatever a request says.
    let isSecure: Bool
    let refusalCounters: [ContractError.Code: Counter]
    let runtime: Runtime
    /// Logs wrong passwords, of which strangers can send many.
    let refusedPasswords: RateLimitedLogger

    /// Answers a request whose path below `api/v1/` is `path`.
    func respond(to request: WebRequest, path: Substring) async -> WebResponse {
        do {
            return try await response(to: request, path.parts(between: "/", keepsEmpty: true))
        } catch let error as ContractError {
            return refuse(error)
        } catch is SharedResponses.BusyError {
            return refuse(
                ContractError(
                    .overloaded, "the board is making as many large answers as it can; try again later", retryAfter: 3),
                status: 503)
        } catch is CancellationError {
            return refuse(ContractError(.overloaded, "the board is stopping", retryAfter: 5), status: 503)
        } catch {
            runtime.logger.error("cannot answer a request to the API", [.path: request.path, .error: "\(error)"])
            return refuse(ContractError(.internal, "the board cannot read its database; its log says why"))
        }
    }

    private func refuse(_ error: ContractError, status: Int? = nil) -> WebResponse {
        refusalCounters[error.code]?.add()
        return .failure(error, status: status)
    }

    func refuseTooManyRequests() -> WebResponse {
        refuse(ContractError(.overloaded, "this address sends too many requests; try again later", retryAfter: 1))
    }

    private func response(to request: WebRequest, _ path: [Substring]) async throws -> WebResponse {
        guard request.method == "GET" else { return try await write(request, path) }
        switch (path.first ?? "", path.count) {
        case ("days", 2): return try await day(path[1], request)
        case ("weeks", 3): return try await week(path[1], path[2], request)
        case ("areas", 1): return try areas(request)
        case ("calendar", 2): return try await calendar(path[1], request)
        case ("movies", 2): return try await movie(path[1], request)
        case ("vocabulary", 1): return try vocabulary(request)
        case ("posters", 3): return try await poster(path[1], path[2], request)
        case ("history", 1): return try await history(request)
        case ("history.csv", 1): return try await historyTable(request)
        case ("alerts", 1): return try await alerts(request)
        case ("status", 1): return try await status(request)
        case ("products", _): return try await products(path.dropFirst(), request)
        case ("session", 1): return session(request)
        case ("shop", 1): return try await shop(request)
        case ("live", 1): return try live(request)
        default: throw ContractError(.notFound, "the board's API has no such address")
        }
    }
}

// MARK: - Processes and live updates

extension API {
    private func status(_ request: WebRequest) async throws -> WebResponse {
        let isWhole = isOperator(request)
        let problems = try await model.recentProblems(limit: 20)
        var status: [(name: String, value: [UInt8])] = [("isWhole", try JSON.encode(isWhole))]
        if isWhole {
            let board = BoardStatus(version: version, browsers: streams.browserCount, liveUpdates: streams.sentCount)
            status += [
                ("processes", await statuses.statuses()), ("board", try JSON.encode(board)),
                ("failures", problems.failures),
            ]
        } else {
            status.append(("processes", await statuses.publicStatuses()))
        }
        status.append(("anomalies", problems.anomalies))
        return CacheableBody(JSONObject(status).bytes, contentType: .json).response(to: request)
    }

    private func live(_ request: WebRequest) throws -> WebResponse {
        let id = request.header("Last-Event-ID") ?? request.query("after")
        let browser = request.query("browser").flatMap { BrowserID($0) }
        guard let body = streams.connect(after: id, from: request.client, browser: browser) else {
            throw ContractError(.overloaded, "too many browsers are connected; try again later", retryAfter: 30)
        }
        return WebResponse(
            contentType: "text/event-stream;charset=UTF-8",
            headers: [("Cache-Control", "no-store"), ("X-Accel-Buffering", "no")], body: .streaming(body))
    }
}

private struct BoardStatus: Encodable {
    let version: String
    let browsers: Int
    let liveUpdates: Int
}

// MARK: - Used by several addresses

extension API {
    /// Reads a date that can have a chart: from the first chart to yesterday.
    func date(_ text: some StringProtocol, _ field: String) throws(ContractError) -> KoreanDate {
        guard let date = KoreanDate(text) else {
            throw ContractError(.badRequest, "\(field) must be a date such as 2024-06-04", field: field)
        }
        guard (KoreanDate.firstChart...KoreanDate.yesterday(at: runtime.wallClock.now())).contains(date) else {
            throw ContractError(
                .dateOutOfRange, "\(field) must be from \(KoreanDate.firstChart) to yesterday in Korea", field: field)
        }
        return date
    }

    /// Reads the query's `market`, by default the whole chart.
    func market(of request: WebRequest) throws(ContractError) -> Market {
        guard let text = request.query("market") else { return .all }
        guard let market = Market(text) else {
            throw ContractError(
                .badRequest, "market must be all, or filters such as nation-K+films-diverse", field: "market")
        }
        return market
    }
}

extension String {
    static let json = "application/json;charset=UTF-8"
}
