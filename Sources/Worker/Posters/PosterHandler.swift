import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import JSONCoding
import Messaging
import ServiceRuntime
import Storage
import Upstreams

/// The command `poster`: returns a movie's poster, rejects it, or puts the image at a URL in its place. What an
/// operator says is stored together with a request for the movie, which then fetches and publishes the poster.
struct PosterHandler: Sendable {
    static let urlLimit = 2_048

    let store: WorkerStore
    let requestGuard: RequestGuard
    let runtime: Runtime

    private struct Fields: Decodable {
        var reject: Bool?
        var url: String?
    }

    /// Returns the reply `poster` with the data of the movie's newest poster event, or `accepted` with the id of the
    /// request that publishes another one.
    func answer(_ command: Command) async throws -> Reply {
        let frames = RequestFrames(
            topic: RequestTopic.fetchMovie.rawValue, body: try RequestFrames(command.frames).body)
        let request = try Request(frames, at: runtime.wallClock.now())
        guard case .movie(let code, _) = request.target else {
            throw ContractError(.internal, "the request is about no movie")
        }
        let fields = try fields(in: frames.body)
        guard fields.url != nil || fields.reject == true else { return try await poster(of: code) }
        let accepted = AcceptedRequest(
            id: request.id ?? .random(), request: Request(.movie(code, poster: true), id: request.id),
            client: requestGuard.client(command.sender))
        try await accept(IntakeItem(accepted: accepted, frames: frames), fields.url, for: code)
        return .accepted(accepted.id)
    }

    private func fields(in body: String) throws(ContractError) -> Fields {
        // A bare code, which is no JSON object, has no further fields.
        guard body.first == "{" else { return Fields() }
        var fields = try RequestBody.fields(body, as: Fields.self)
        guard let url = fields.url else { return fields }
        guard fields.reject != true else {
            throw ContractError(.badRequest, "the body must not have both reject and url", field: "body")
        }
        guard url.utf8.count <= Self.urlLimit, let address = PosterSearch.address(url) else {
            throw ContractError(
                .badRequest, "url must begin with http:// or https:// and have at most \(Self.urlLimit) bytes",
                field: "url")
        }
        fields.url = address
        return fields
    }

    private func poster(of code: MovieCode) async throws -> Reply {
        guard let known = try await store.read({ try $0.latest(.poster(code)) }) else {
            throw ContractError(.notFound, "no poster of the movie \(code) was searched yet", field: "code")
        }
        return Reply(frames: [Array("poster".utf8), try JSON.encode(known.data(as: Poster.self))])
    }

    /// Stores what the operator says, and the request. The same request sent again is done once.
    private func accept(_ item: IntakeItem, _ url: String?, for code: MovieCode) async throws {
        let id = item.accepted.id
        try id.checkForeign()
        try await store.write { transaction in
            let (inbox, connection) = (RequestInbox(transaction), transaction.connection)
            if try inbox.state(of: id) == nil {
                if let url {
                    try PosterChoice.choose(url, for: code, in: connection)
                } else {
                    let known = try transaction.latest(.poster(code))
                    try PosterChoice.reject(known?.data(as: Poster.self).image, for: code, in: connection)
                }
            }
            // What the operator says is undone if there is no room for the request.
            if let failure = try inbox.accept([item])[0].failure(limit: transaction.inboxLimit) { throw failure }
        }
    }
}
