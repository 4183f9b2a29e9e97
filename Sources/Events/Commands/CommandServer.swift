public import ZeroMQ

/// Answers the questions that come in on a ROUTER socket, in the order in which each client asked.
///
/// A whole batch is answered at a time, so that the requests in it share one commit; but a page of the log is sent before the
/// next is read, however many were asked for at once, since each may have megabytes. While a batch is being answered, further
/// questions wait in the socket, which refuses what is too much.
public struct CommandServer: Sendable {
    private let socket: Socket
    private let counter: Counter?

    /// Makes a server of the given ROUTER socket; on the thread of the socket, if that is given, it spares commands that
    /// are answered from memory the way to another thread and back.
    public init(_ socket: Socket, on io: IOThread? = nil) {
        self.socket = socket
        counter = io.map(Counter.init)
    }

    /// Hands each batch to `answer`, which returns one reply a command, until the socket closes.
    ///
    /// Commands that the socket did not take whole are refused here. `known` is asked first, on the thread of the socket:
    /// where it has the reply to each command of a batch at hand, `answer` is not called. It must not wait.
    public func run(
        known: @escaping @Sendable (Command) -> Reply? = { _ in nil },
        _ answer: @Sendable ([Command]) async -> [Reply], afterAnswering: @Sendable () -> Void = {}
    ) async {
        await serve(known, answer, afterAnswering, isolation: counter)
    }

    private func serve(
        _ known: @Sendable (Command) -> Reply?, _ answer: @Sendable ([Command]) async -> [Reply],
        _ afterAnswering: @Sendable () -> Void, isolation: isolated (any Actor)?
    ) async {
        for await batch in socket.incoming {
            if let replies = answersAtHand(to: batch, by: known) {
                await socket.send(replies)
                afterAnswering()
                continue
            }
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

    /// The answers to a batch if all are at hand; else none, so that they keep their order.
    private func answersAtHand(to batch: [Message], by known: (Command) -> Reply?) -> [Message]? {
        var answers: [Message] = []
        for command in batch.map(Command.init) {
            guard command.cut == nil, let reply = known(command) else { return nil }
            answers.append(command.answer(reply))
        }
        return answers
    }

    /// Where a server lives that answers on the I/O thread.
    private actor Counter {
        private let io: IOThread

        nonisolated var unownedExecutor: UnownedSerialExecutor { io.asUnownedSerialExecutor() }

        init(_ io: IOThread) {
            self.io = io
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
