import BoxOffice
import Contract
import FoundationEssentials
import ImageCache
import Operations
import WebServer

/// The board's JSON, version 1: docs/board.md describes every address.
struct API: Sendable {
    let model: ReadModel
    let hub: EventStreamHub
    let posters: PosterImages
    let images: TieredImageCache
    let requests: RequestForwarder
    let sessions: SessionStore
    /// Whether the configuration names a market.
    let hasMarket: Bool
    let base: BasePath
    let statuses: StatusCache
    let refused: [ContractError.Code: Counter]
    let clock: WallClock
    let logger: Logger

    /// Answers a request to an address below `api/v1/`.
    func respond(to request: WebRequest, path: Substring) async -> WebResponse {
        do {
            return try await answer(request, path.split(separator: "/", omittingEmptySubsequences: false))
        } catch let failure as ContractError {
            return refuse(failure)
        } catch {
            logger.error("a page could not be answered", [.path: request.path, .error: "\(error)"])
            return refuse(ContractError(.internal, "the board could not read its own memory"))
        }
    }

    private func refuse(_ failure: ContractError) -> WebResponse {
        refused[failure.code]?.add()
        return .failure(failure)
    }

    private func answer(_ request: WebRequest, _ words: [Substring]) async throws -> WebResponse {
        guard request.method == "GET" else { return try await write(request, words) }
        switch (words.first ?? "", words.count) {
        case ("days", 2): return try await day(words[1], request)
        case ("weeks", 3): return try await week(words[1], words[2], request)
        case ("areas", 1): return try areas(request)
        case ("calendar", 2): return try await calendar(words[1], request)
        case ("movies", 2): return try await movie(words[1], request)
        case ("posters", 3): return try await poster(words[1], words[2], request)
        case ("history", 1): return try await history(request)
        case ("history.csv", 1): return try await table(request)
        case ("alerts", 1): return try await alerts(request)
        case ("status", 1): return try await status(request)
        case ("products", _): return try await products(words.dropFirst(), request)
        case ("shop", 1): return try await shop(request)
        case ("live", 1): return try live(request)
        default: throw ContractError(.notFound, "the board's API has no such address")
        }
    }
}

/// What the addresses have in common.
extension API {
    func found(_ json: [UInt8]?, _ message: String) throws(ContractError) -> CacheableBody {
        guard let json else { throw ContractError(.notFound, message) }
        return CacheableBody(json, contentType: .json)
    }

    /// A day that can have a chart.
    func date(_ word: some StringProtocol, _ field: String) throws(ContractError) -> KoreanDate {
        guard let date = KoreanDate(word) else {
            throw ContractError(.badRequest, "a date such as 2024-06-04 is expected", field: field)
        }
        guard (KoreanDate.firstChart...KoreanDate.yesterday(at: clock.now())).contains(date) else {
            throw ContractError(.dateOutOfRange, "charts go from \(KoreanDate.firstChart) to yesterday", field: field)
        }
        return date
    }

    func market(of request: WebRequest) throws(ContractError) -> Market {
        guard let text = request.query("market") else { return .all }
        guard let market = Market(text) else {
            throw ContractError(.badRequest, "a market is all, nation-K, films-diverse and the like", field: "market")
        }
        return market
    }
}

extension String {
    static let json = "application/json;charset=UTF-8"
}
