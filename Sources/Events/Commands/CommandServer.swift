public import ZeroMQ

/// Answers the questions that come in on a ROUTER socket, in the order in which each client asked.
///
/// A whole batch is answered at a time, so that the requests in it share one commit; but a page of the log is sent before the
/// next is read, however many were asked for at once, since each may have megabytes. While a batch is being answered, further
/// questions wait in the socket, and at its high-water mark at their senders.
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
            var rest = batch.map(Command.init)[...]
            while !rest.isEmpty {
                let end = rest.firstIndex(where: \.asksForPage).map { $0 + 1 } ?? rest.endIndex
                // Waits for room, never for a peer: a router drops what a peer does not take.
                await socket.send(await answers(to: rest[..<end], by: answer))
                afterAnswering()
                rest = rest[end...]
            }
        }
    }

    /// The answers to some commands, in their order; to those that came whole by `answer`.
    private func answers(
        to commands: ArraySlice<Command>, by answer: @Sendable ([Command]) async -> [Reply]
    ) async -> [Message] {
        let whole = commands.filter { !$0.isCut }
        let replies = await answer(whole)
        precondition(replies.count == whole.count, "every command has one reply")
        var next = replies.makeIterator()
        return commands.map { $0.answer($0.isCut ? Self.tooLong : next.next() ?? Self.tooLong) }
    }
}
