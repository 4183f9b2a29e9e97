public import ZeroMQ

/// Answers the questions that come in on a ROUTER socket, in the order in which each client asked.
///
/// A whole batch is answered at a time, so that the requests in it share one commit; but a page of the log is sent before the
/// next is read, however many were asked for at once, since each may have megabytes. While a batch is being answered, further
/// questions wait in the socket, which refuses what is too much.
public struct CommandServer: Sendable {
    private let socket: Socket

    /// Makes a server of the given ROUTER socket.
    public init(_ socket: Socket) {
        self.socket = socket
    }

    /// Hands each batch to `answer`, which returns one reply a command, until the socket closes.
    ///
    /// Commands that the socket did not take whole are refused here.
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
        let whole = commands.filter { $0.cut == nil }
        var replies = await answer(whole)[...]
        precondition(replies.count == whole.count, "every command has one reply")
        return commands.map { command in
            command.answer(command.cut.map(Reply.init(to:)) ?? replies.removeFirst())
        }
    }
}

extension Reply {
    /// What is said to somebody whose command the socket did not take whole.
    fileprivate init(to cut: Message.Cut) {
        self =
            switch cut {
            case .tooManyFrames:
                .refused(Failure(.badRequest, "a command has two frames, and this one has too many to be looked at"))
            case .noRoom:
                .refused(Failure(.overloaded, "more is waiting to be looked at than there is room for", retryAfter: 1))
            }
    }
}
