import Contract
import Operations
import ZeroMQ

/// Takes fire-and-forget requests from the SUB endpoint.
///
/// There is no receipt. A request that can be read but not be done ends as `request.failed`; what is no request at all
/// is counted, logged and forgotten.
struct RequestService: Service {
    let socket: Socket
    let intake: RequestIntake
    let store: WorkerStore
    let logger: Logger
    private let refusals: RateLimitedLogger

    init(socket: Socket, intake: RequestIntake, store: WorkerStore, logger: Logger) {
        self.socket = socket
        self.intake = intake
        self.store = store
        self.logger = logger
        refusals = RateLimitedLogger(logger)
    }

    func run() async throws {
        for await batch in socket.incoming {
            var refused: [WorkerStore.RejectedRequest] = []
            for case .failure(let refusal) in await intake.receive(batch) {
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

    private func end(_ refused: [WorkerStore.RejectedRequest]) async {
        guard !refused.isEmpty else { return }
        do {
            try await store.refuse(refused)
        } catch {
            logger.error("refusals cannot be written", [.count: refused.count, .error: "\(error)"])
        }
    }
}

extension RejectionError {
    /// The request that ends by this refusal, if what was sent can be read as one.
    fileprivate var request: WorkerStore.RejectedRequest? {
        // A conflict is about a request that has an end of its own; the other failures here end one before it began.
        guard failure.code != .conflict, let frames, let topic = RequestTopic(text: frames.topic) else { return nil }
        return WorkerStore.RejectedRequest(
            id: Request.id(in: frames) ?? .random(), topic: topic, body: frames.withoutAttachments().body,
            failure: failure)
    }
}
