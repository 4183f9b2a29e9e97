public import ZeroMQ

/// Answers the questions that come in on a ROUTER socket, in the order in which each client asked.
///
/// A whole batch is answered at a time, so that the requests in it share one commit. While a batch is being answered,
/// further questions wait in the socket, and at its high-water mark at their senders.
public struct CommandServer: Sendable {
    private let socket: Socket

    /// Makes a server of the given ROUTER socket.
    public init(_ socket: Socket) {
        self.socket = socket
    }

    /// Hands each batch to `answer`, which returns one reply a command, until the socket closes.
    public func run(
        _ answer: @Sendable ([Command]) async -> [Reply], afterAnswering: @Sendable () -> Void = {}
    ) async {
        for await batch in socket.incoming {
            let commands = batch.map(Command.init)
            let replies = await answer(commands)
            precondition(replies.count == commands.count, "every command has one reply")
            // Waits for room, never for a peer: a router drops what a peer does not take.
            await socket.send(zip(commands, replies).map { $0.answer($1) })
            afterAnswering()
        }
    }
}
