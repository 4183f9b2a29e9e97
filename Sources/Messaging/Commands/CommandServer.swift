public import Contract
public import ZeroMQ

/// Answers the questions that come in on a ROUTER socket, in the order in which each client asked.
///
/// A whole batch is answered at a time, so that the requests in it share one commit; but a page of the log is sent before the
/// next is read, however many were asked for at once, since each may have megabytes. While a batch is being answered, further
/// questions wait in the socket, which refuses what is too much.
public struct CommandServer: Sendable {
    /// How many bytes of commands may be answered from the thread of the socket.
    private static let few = 1_024

    /// Answers a batch of commands, one reply a command, in their order.
    public typealias Answering = @Sendable ([Command]) async -> [Reply]

    private let socket: Socket
    private let io: IOThread?

    /// Makes a server of the given ROUTER socket; on the thread of the socket, if that is given, it spares commands the way
    /// to another thread and back.
    public init(_ socket: Socket, on io: IOThread? = nil) {
        self.socket = socket
        self.io = io
    }

    /// Hands each batch to `answer`, which returns one reply a command, until the socket closes.
    ///
    /// Commands that the socket did not take whole are refused here. A few short commands are answered on the thread of the
    /// socket, which `answer` must not block; more are worth the way to another thread.
    public func run(_ answer: Answering, afterAnswering: @Sendable () -> Void = {}) async {
        await withTaskExecutorPreference(io) { await serve(answer, afterAnswering) }
    }

    private func serve(_ answer: Answering, _ afterAnswering: @Sendable () -> Void) async {
        for await batch in socket.incoming {
            var rest = batch.map(Command.init)[...]
            while !rest.isEmpty {
                let end = rest.firstIndex(where: \.asksForPage).map { $0 + 1 } ?? rest.endIndex
                // What was sent for the commands before counts already.
                if rest[end - 1].asksForPage { rest[end - 1].unread = socket.unread(by: rest[end - 1].asker) }
                // Waits for room, never for a peer: a router drops what a peer does not take.
                let commands = rest[..<end]
                let answers =
                    Self.areFew(commands)
                    ? await answers(to: commands, by: answer) : await answersElsewhere(to: commands, by: answer)
                await socket.send(answers)
                afterAnswering()
                rest = rest[end...]
            }
        }
    }

    private static func areFew(_ commands: ArraySlice<Command>) -> Bool {
        commands.reduce(0) { bytes, command in command.frames.reduce(bytes) { $0 + $1.count } } <= few
    }

    /// The answers to many commands, made on the threads that tasks share.
    private func answersElsewhere(to commands: ArraySlice<Command>, by answer: Answering) async -> [Message] {
        await withTaskExecutorPreference(globalConcurrentExecutor) { await answers(to: commands, by: answer) }
    }

    /// The answers to some commands, in their order; to those that came whole by `answer`.
    private func answers(to commands: ArraySlice<Command>, by answer: Answering) async -> [Message] {
        let whole = commands.filter { $0.cut == nil }
        var replies = await answer(whole)[...]
        precondition(replies.count == whole.count, "every command has one reply")
        return commands.map { command in
            command.answer(command.cut.map(Reply.init(to:)) ?? replies.removeFirst())
        }
    }
}

extension Reply {
    // Made once: who floods the socket must not have the others wait for as many of them to be written.
    private static let tooManyFrames = Reply.refused(
        ContractError(.badRequest, "a command has two frames, and this one has too many to be looked at"))
    private static let noRoom = Reply.refused(
        ContractError(.overloaded, "more is waiting to be looked at than there is room for", retryAfter: 1))

    /// What is said to somebody whose command the socket did not take whole.
    fileprivate init(to cut: Message.Truncation) {
        self =
            switch cut {
            case .tooManyFrames: .tooManyFrames
            case .noRoom: .noRoom
            }
    }
}
