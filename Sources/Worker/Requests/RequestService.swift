import Contract
import ServiceRuntime
import ZeroMQ

/// Receives fire-and-forget requests on the SUB endpoint.
///
/// There is no receipt. A request that can be parsed but not accepted ends as `request.failed`; any other message is
/// counted, logged and dropped.
struct RequestService: Service {
    let socket: Socket
    let intake: RequestIntake
    let store: WorkerStore
    private let rejectionLogger: RateLimitedLogger
    private let storeLogger: RateLimitedLogger

    init(socket: Socket, intake: RequestIntake, store: WorkerStore, logger: Logger) {
        self.socket = socket
        self.intake = intake
        self.store = store
        rejectionLogger = RateLimitedLogger(logger)
        storeLogger = RateLimitedLogger(logger)
    }

    func run() async throws {
        for await batch in socket.incoming {
            var rejected: [RejectedRequest] = []
            for (message, result) in zip(batch, await intake.receive(batch)) {
                guard case .failure(let rejection) = result else { continue }
                rejectionLogger.warning(
                    "request refused",
                    [
                        .key: message.peer?.name, .address: message.peer?.address ?? "unknown",
                        .code: rejection.error.code.rawValue, .reason: rejection.error.message,
                    ])
                if let request = rejection.request { rejected.append(request) }
            }
            await end(rejected)
        }
    }

    func stop() async {
        await socket.close()
    }

    private func end(_ rejected: [RejectedRequest]) async {
        guard !rejected.isEmpty else { return }
        do {
            try await store.write { try RequestInbox($0).reject(rejected) }
        } catch {
            storeLogger.error(
                "the failures of refused requests cannot be stored", [.count: rejected.count, .error: "\(error)"])
        }
    }
}

extension RejectionError {
    /// The request that ends by this rejection, or nil if the message cannot be parsed as one.
    fileprivate var request: RejectedRequest? {
        // A conflict is about a request that has an end of its own.
        guard error.code != .conflict, let frames, let topic = RequestTopic(text: frames.topic) else { return nil }
        // A client's failure must not end a request of the schedule or the backfill, which would read it as theirs.
        let id = Request.id(in: frames).flatMap { $0.isOwn ? nil : $0 } ?? .random()
        return RejectedRequest(id: id, topic: topic, body: frames.withoutAttachments().body, error: error)
    }
}
