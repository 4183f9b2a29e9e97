import Events
import Operations
import ZeroMQ

/// Takes fire-and-forget requests from the SUB endpoint.
///
/// There is no receipt. A request that can be read but not be done ends as `request.failed`; what is no request at all
/// is counted, logged and forgotten.
struct RequestService: Service {
    let socket: Socket
    let reception: Reception
    let journal: Journal
    let logger: Logger

    func run() async throws {
        for await batch in socket.incoming {
            for case .failure(let refusal) in await reception.receive(batch.map(\.frames)) {
                await refuse(refusal)
            }
        }
    }

    func stop() async {
        await socket.close()
    }

    private func refuse(_ refusal: Refusal) async {
        let failure = refusal.failure
        logger.warning("request refused", [.code: failure.code.rawValue, .reason: failure.message])
        // A conflict is about a request that has an end of its own; the other failures here end a request before it began.
        guard let frames = refusal.frames, RequestTopic(text: frames.topic) != nil, failure.code != .conflict else {
            return
        }
        do {
            _ = try await journal.refuse(Request.id(in: frames) ?? .random(), sentAs: frames, because: failure)
        } catch {
            logger.error("a refusal cannot be written", [.error: "\(error)"])
        }
    }
}
