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
    private let refusals: SparingLogger

    init(socket: Socket, reception: Reception, journal: Journal, logger: Logger) {
        self.socket = socket
        self.reception = reception
        self.journal = journal
        self.logger = logger
        refusals = SparingLogger(logger)
    }

    func run() async throws {
        for await batch in socket.incoming {
            var refused: [Journal.Refused] = []
            for case .failure(let refusal) in await reception.receive(batch) {
                let failure = refusal.failure
                refusals.warning("request refused", [.code: failure.code.rawValue, .reason: failure.message])
                if let request = refusal.request { refused.append(request) }
            }
            await end(refused)
        }
    }

    func stop() async {
        await socket.close()
    }

    private func end(_ refused: [Journal.Refused]) async {
        guard !refused.isEmpty else { return }
        do {
            try await journal.refuse(refused)
        } catch {
            logger.error("refusals cannot be written", [.count: refused.count, .error: "\(error)"])
        }
    }
}

extension Refusal {
    /// The request that ends by this refusal, if what was sent can be read as one.
    fileprivate var request: Journal.Refused? {
        // A conflict is about a request that has an end of its own; the other failures here end one before it began.
        guard failure.code != .conflict, let frames, let topic = RequestTopic(text: frames.topic) else { return nil }
        return Journal.Refused(
            id: Request.id(in: frames) ?? .random(), topic: topic, body: frames.withoutEnclosures().body,
            failure: failure)
    }
}
