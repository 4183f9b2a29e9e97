import Contract
import Messaging
import ServiceRuntime
import ZeroMQ

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
