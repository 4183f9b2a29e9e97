public import ZeroMQ

/// Answers the questions that come in on a ROUTER socket, in the order in which each client asked.
///
/// A whole batch is answered at a time, so that the requests in it share one commit. While a batch is being answered,
/// further questions wait in the socket, and at its high-water mark at their senders.
public struct CommandServer: Sendable {
    private static let tooLong = Reply.refused(
        Failure(.badRequest, "a command has two frames, and this one has too many to be looked at"))

    private let socket: Socket

    /// Makes a server of the given ROUTER socket.
    public init(_ socket: Socket) {
        self.socket = socket
    }

    /// Hands each batch to `answer`, which returns one reply a command, until the socket closes.
    ///
    /// Commands with more frames than the socket takes are refused here.
    public func run(
        _ answer: @Sendable ([Command]) async -> [Reply], afterAnswering: @Sendable () -> Void = {}
    ) async {
        for await batch in socket.incoming {
            let commands = batch.map(Command.init)
            let whole = commands.filter { !$0.isCut }
            let replies = await answer(whole)
            precondition(replies.count == whole.count, "every command has one reply")
            var next = replies.makeIterator()
            let answers = commands.map { command in
                command.answer(command.isCut ? Self.tooLong : next.next() ?? Self.tooLong)
            }
            // Waits for room, never for a peer: a router drops what a peer does not take.
            await socket.send(answers)
            afterAnswering()
        }
    }
}
