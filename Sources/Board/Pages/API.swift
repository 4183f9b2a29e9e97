import BoxOffice
import Events
import FoundationEssentials
import Operations
import WebServer

/// The board's JSON, version 1: docs/board.md describes every address.
struct API: Sendable {
    let model: ReadModel
    let hub: Hub
    let posters: Posters
    let requests: RequestDesk
    let statuses: StatusDesk
    let clock: WallClock
    let logger: Logger

    /// Answers a request to an address below `api/v1/`.
    func respond(to request: WebRequest, path: Substring) async -> WebResponse {
        do {
            return try await answer(request, path.split(separator: "/", omittingEmptySubsequences: false))
        } catch let failure as Failure {
            return .failure(failure)
        } catch {
            logger.error("a page could not be answered", [.path: request.path, .error: "\(error)"])
            return .failure(Failure(.internal, "the board could not read its own memory"))
        }
    }

    private func answer(_ request: WebRequest, _ words: [Substring]) async throws -> WebResponse {
        if request.method == "POST" {
            guard words == ["requests"] else { throw Failure(.notFound, "nothing is posted here") }
            return try await ask(request)
        }
        guard request.method == "GET" else { return .onlyGet }
        switch (words.first ?? "", words.count) {
        case ("days", 2): return try await day(words[1], request)
        case ("weeks", 3): return try await week(words[1], words[2], request)
        case ("calendar", 2): return try await calendar(words[1], request)
        case ("movies", 2): return try await movie(words[1], request)
        case ("posters", 3): return try await poster(words[1], words[2], request)
        case ("history", 1): return try await history(request)
        case ("history.csv", 1): return try await table(request)
        case ("alerts", 1): return try await alerts(request)
        case ("status", 1): return try await status(request)
        case ("live", 1): return try live(request)
        default: throw Failure(.notFound, "the board's API has no such address")
        }
    }

    // MARK: - Asking

    private func ask(_ request: WebRequest) async throws -> WebResponse {
        // Other sites can make a browser post text to us, but not JSON, without our leave (Fetch, CORS-safelisted types).
        guard request.header("Content-Type")?.hasPrefix("application/json") == true else {
            throw Failure(.badRequest, "requests are posted as application/json", field: "Content-Type")
        }
        let id = try await requests.ask(request.body)
        return .json(try JSON.encode(["id": id]), status: 202)
    }

    // MARK: - Looking

    private func day(_ word: Substring, _ request: WebRequest) async throws -> WebResponse {
        let date = try self.date(word, "date")
        let chart = try await model.chart(span: ReadModel.daySpan, firstDay: date, market: try market(of: request))
        return try found(chart, "no chart of \(date) is known yet").response(to: request)
    }

    private func week(_ word: Substring, _ day: Substring, _ request: WebRequest) async throws -> WebResponse {
        guard let span = Week.Span(rawValue: String(word)) else {
            throw Failure(.badRequest, "a span is week, weekend or weekdays", field: "span")
        }
        let week = Week(of: try date(day, "date"), span: span)
        let chart = try await model.chart(
            span: span.rawValue, firstDay: week.firstDay, market: try market(of: request))
        return try found(chart, "no \(span.rawValue) chart of \(week) is known yet").response(to: request)
    }

    private func calendar(_ word: Substring, _ request: WebRequest) async throws -> WebResponse {
        guard word.count == 4, let year = Int(word), year >= KoreanDate.firstChart.year else {
            throw Failure(.badRequest, "a year from \(KoreanDate.firstChart.year) on is expected", field: "year")
        }
        let days = try await model.calendar(year: year, market: try market(of: request))
        return Representation(days, contentType: .json).response(to: request)
    }

    private func movie(_ word: Substring, _ request: WebRequest) async throws -> WebResponse {
        guard let code = MovieCode(word) else {
            throw Failure(.badRequest, "a film's code has 8 of 0-9 A-Z", field: "code")
        }
        return try found(try await model.movie(code), "nothing is known of the film \(code) yet").response(to: request)
    }

    private func poster(_ word: Substring, _ version: Substring, _ request: WebRequest) async throws -> WebResponse {
        guard let code = MovieCode(word), let size = PictureSize(rawValue: request.query("size") ?? "small") else {
            throw Failure(.badRequest, "a poster is asked for by code, version and size", field: "size")
        }
        guard let picture = try await posters.picture(code, String(version), size) else {
            throw Failure(.notFound, "there is no such poster")
        }
        return Representation(picture, contentType: "image/jpeg", isPackable: false)
            .response(to: request, caching: "public, max-age=31536000, immutable")
    }

    private func history(_ request: WebRequest) async throws -> WebResponse {
        let (from, to) = try range(of: request)
        let history = try await model.history(from: from, to: to, market: try market(of: request))
        return Representation(history, contentType: .json).response(to: request)
    }

    private func table(_ request: WebRequest) async throws -> WebResponse {
        let (from, to) = try range(of: request)
        let lines = try await model.lines(from: from, to: to, market: try market(of: request))
        return Representation(CSV.table(of: lines), contentType: "text/csv;charset=UTF-8").response(
            to: request,
            headers: [("Content-Disposition", "attachment; filename=\"marquee-\(from)-\(to).csv\"")])
    }

    private func alerts(_ request: WebRequest) async throws -> WebResponse {
        let before = request.query("before").map { SequenceNumber($0) }
        let limit = request.query("limit").map { Int($0) } ?? 50
        guard before != .some(nil), let limit, (1...200).contains(limit) else {
            throw Failure(.badRequest, "before is a sequence of 16 digits, limit 1 to 200", field: "limit")
        }
        let alerts = try await model.alerts(
            before: before ?? nil, rule: request.filter("rule"), film: request.filter("film"), limit: limit)
        return Representation(alerts, contentType: .json).response(to: request)
    }

    private func status(_ request: WebRequest) async throws -> WebResponse {
        let board = BoardStatus(version: version, browsers: hub.count, news: hub.sent)
        let troubles = try await model.troubles(limit: 20)
        let status = JSONObject([
            ("processes", await statuses.statuses()), ("board", try JSON.encode(board)),
            ("failures", troubles.failures), ("anomalies", troubles.anomalies),
        ])
        return Representation(status.bytes, contentType: .json).response(to: request)
    }

    private func live(_ request: WebRequest) throws -> WebResponse {
        guard let body = hub.watch(after: request.header("Last-Event-ID") ?? request.query("after")) else {
            throw Failure(.overloaded, "too many browsers watch already", retryAfter: 30)
        }
        return WebResponse(
            contentType: "text/event-stream;charset=UTF-8",
            headers: [("Cache-Control", "no-store"), ("X-Accel-Buffering", "no")], body: .open(body))
    }
}

extension API {
    private func found(_ json: [UInt8]?, _ message: String) throws(Failure) -> Representation {
        guard let json else { throw Failure(.notFound, message) }
        return Representation(json, contentType: .json)
    }

    /// A day that can have a chart.
    private func date(_ word: some StringProtocol, _ field: String) throws(Failure) -> KoreanDate {
        guard let date = KoreanDate(word) else {
            throw Failure(.badRequest, "a date such as 2024-06-04 is expected", field: field)
        }
        guard (KoreanDate.firstChart...KoreanDate.yesterday(at: clock.now())).contains(date) else {
            throw Failure(.dateOutOfRange, "charts go from \(KoreanDate.firstChart) to yesterday", field: field)
        }
        return date
    }

    private func market(of request: WebRequest) throws(Failure) -> Market {
        guard let text = request.query("market") else { return .all }
        guard let market = Market(text) else {
            throw Failure(.badRequest, "a market is all, nation-K, films-diverse and the like", field: "market")
        }
        return market
    }

    /// At most 366 days.
    private func range(of request: WebRequest) throws(Failure) -> (from: KoreanDate, to: KoreanDate) {
        let from = try date(request.query("from") ?? "", "from")
        let to = try date(request.query("to") ?? "", "to")
        guard from <= to, to - from <= 366 else {
            throw Failure(.badRequest, "from lies at most a year before to", field: "from")
        }
        return (from, to)
    }
}

private struct BoardStatus: Encodable {
    let version: String
    let browsers: Int
    let news: Int
}

extension WebRequest {
    /// A filter's text, if it is there and not empty.
    fileprivate func filter(_ name: String) -> String? {
        query(name).flatMap { $0.isEmpty ? nil : String($0.prefix(100)) }
    }
}

extension String {
    fileprivate static let json = "application/json;charset=UTF-8"
}

extension WebResponse {
    /// The contract's error object with a fitting status.
    static func failure(_ failure: Failure) -> WebResponse {
        let status =
            switch failure.code {
            case .badRequest, .dateOutOfRange: 400
            case .conflict: 409
            case .notFound, .notPublished: 404
            case .overloaded, .quotaExhausted: 429
            case .internal: 500
            default: 503
            }
        // A failure is text and numbers, which always have JSON.
        var response = WebResponse.json((try? JSON.encode(failure)) ?? [], status: status)
        response.headers.append(("Cache-Control", "no-store"))
        if let seconds = failure.retryAfter { response.headers.append(("Retry-After", "\(seconds)")) }
        return response
    }
}
