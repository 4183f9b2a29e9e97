import Contract
import Messaging
import ServiceRuntime
import ZeroMQ

/// Receives fire-and-forget requests on the SUB endpoint, without a receipt. A request that can be parsed but not
/// accepted ends as `request.failed`; any other message is counted, logged and dropped.
struct RequestService: Service {
    let socket: Socket
    let intake: RequestIntake
    let logger: RateLimitedLogger

    func run() async throws {
        for await batch in socket.incoming {
            var rejected: [RejectedRequest] = []
            for (message, result) in zip(batch, await intake.receive(batch)) {
                guard case .failure(let rejection) = result else { continue }
                logger.warning(
                    "request refused",
                    [
                        .key: message.peer?.name, .address: message.peer?.address ?? "unknown",
                        .code: rejection.error.code.rawValue, .reason: rejection.error.message,
                    ])
                if let request = rejection.request { rejected.append(request) }
            }
            guard !rejected.isEmpty else { continue }
            do {
                try await intake.store.write { [rejected] in try RequestInbox($0).reject(rejected) }
            } catch {
                intake.logger.error(
                    "the failures of refused requests cannot be stored", [.count: rejected.count, .error: "\(error)"])
            }
        }
    }

    func stop() async {
        await socket.close()
    }
}

extension RejectionError {
    fileprivate var request: RejectedRequest? {
        // A conflict is about a request that has an end of its own.
        guard error.code != .conflict, let frames, let topic = RequestTopic(text: frames.topic) else { return nil }
        // A client's failure must not end a request of the schedule or the backfill, which would read it as theirs.
        let id = Request.id(in: frames).flatMap { $0.isOwn ? nil : $0 } ?? .random()
        return RejectedRequest(id: id, topic: topic, body: frames.withoutAttachments().body, error: error)
    }
}

/// Answers the commands on the ROUTER endpoint: requests with a receipt, others with their result.
struct CommandService: Service {
    let socket: Socket
    let intake: RequestIntake
    let logCommands: LogHandler
    /// The socket's thread, on which the commands run.
    var io: IOThread?
    var failPoints = FailPoints.none

    func run() async throws {
        await CommandServer(socket, on: io, requestGuard: intake.requestGuard).run { commands in
            // All requests of a batch share one commit; their receipts keep the order of the batch.
            let requests = commands.indices.filter { RequestTopic(text: commands[$0].name) != nil }
            guard !requests.isEmpty else { return await logCommands.answer(commands) }
            let results = await intake.receive(
                requests.map { Message(commands[$0].frames, peer: commands[$0].sender) })
            var receipts = Dictionary(uniqueKeysWithValues: zip(requests, results))
            var replies: [Reply] = []
            for (index, command) in commands.enumerated() {
                switch receipts.removeValue(forKey: index) {
                case .success(let id): replies.append(.accepted(id))
                case .failure(let rejection): replies.append(.refused(rejection.error))
                case nil: replies.append(await logCommands.answer(command))
                }
            }
            return replies
        } afterAnswering: {
            failPoints.reach(.answered)
        }
    }

    func stop() async {
        await socket.close()
    }
}
