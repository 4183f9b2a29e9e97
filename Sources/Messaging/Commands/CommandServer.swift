public import Contract
public import ZeroMQ

/// Answers the commands that arrive on a ROUTER socket, in the order in which each client sent them, and in batches, so that
/// the requests of a batch share one commit. Others wait in the socket's receive queue, which refuses when it is full.
public struct CommandServer: Sendable {
    private static let inlineByteLimit = 1_024

    /// Answers a batch of commands with one reply for each, in the same order.
    public typealias Handler = @Sendable ([Command]) async -> [Reply]

    private let socket: Socket
    private let io: IOThread?
    private let requestGuard: RequestGuard

    /// Makes a server of a ROUTER socket; `io` is its I/O thread if short batches are answered there: that saves two thread
    /// hops.
    public init(_ socket: Socket, on io: IOThread? = nil, requestGuard: RequestGuard = .unrestricted()) {
        self.socket = socket
        self.io = io
        self.requestGuard = requestGuard
    }

    /// Answers commands until the socket closes; those that the socket does not take are refused without asking `answer`,
    /// which may run on the I/O thread and must not block it.
    public func run(_ answer: Handler, afterAnswering: @Sendable () -> Void = {}) async {
        await withTaskExecutorPreference(io) {
            for await messages in socket.incoming {
                var rest = messages.map(Command.init)[...]
                while !rest.isEmpty {
                    let batch = takeBatch(from: &rest)
                    // Waits for room in the send queue, never for a peer: a router drops what a peer does not read.
                    await socket.send(await replies(to: batch, by: answer))
                    afterAnswering()
                }
            }
        }
    }

    /// Removes the commands up to and including the first that asks for a page of the log.
    /// A page is sent before the next one is read, because each may have megabytes.
    private func takeBatch(from commands: inout ArraySlice<Command>) -> ArraySlice<Command> {
        guard let page = commands.firstIndex(where: \.asksForPage) else {
            defer { commands = [] }
            return commands
        }
        // Read here, after the replies to the commands before have been queued.
        commands[page].unread = socket.unread(by: commands[page].sender, over: commands[page].connection)
        defer { commands = commands[(page + 1)...] }
        return commands[...page]
    }

    private func replies(to commands: ArraySlice<Command>, by answer: Handler) async -> [Message] {
        let byteCount = commands.reduce(0) { bytes, command in command.frames.reduce(bytes) { $0 + $1.count } }
        if byteCount <= Self.inlineByteLimit { return await messages(answering: commands, by: answer) }
        return await withTaskExecutorPreference(globalConcurrentExecutor) {
            await messages(answering: commands, by: answer)
        }
    }

    private func messages(answering commands: ArraySlice<Command>, by answer: Handler) async -> [Message] {
        let complete = commands.filter { $0.truncation == nil }
        var replies = await answer(complete)[...]
        precondition(replies.count == complete.count, "every command has one reply")
        return commands.map { command in
            let reply = command.truncation.map(Reply.init(to:)) ?? replies.removeFirst()
            if reply.word == "refused" { requestGuard.recordRefused(command, reply) }
            return command.answer(reply)
        }
    }
}

/// A command that arrived on a ROUTER socket, with the envelope that leads back to its client.
public struct Command: Sendable {
    /// The command's frames: a name and a body, unless a client sent something else.
    public let frames: [[UInt8]]
    /// The first frame as text, of which the beginning is read; a longer one or invalid UTF-8 is a name that no command
    /// has.
    public let name: String
    /// The client, as far as it is known.
    public let sender: PeerIdentity?
    /// The number of bytes of earlier replies that the client has not read; set only if the command asks for a page.
    var unread = 0
    let truncation: Message.Truncation?
    /// The connection over which it arrived; the reply goes there or nowhere.
    let connection: ConnectionID?
    private let envelope: [[UInt8]]

    /// Splits a message of a ROUTER socket into the envelope, which the reply has too, and the command.
    public init(_ message: Message) {
        envelope = Array(message.frames.prefix(message.envelopeLength))
        frames = Array(message.frames.dropFirst(envelope.count))
        name = Self.name(in: frames)
        sender = message.peer
        connection = message.connection
        truncation = message.truncation
    }

    /// Returns the name of the command or request with these frames: the beginning of the first one as text.
    public static func name(in frames: [[UInt8]]) -> String {
        // Bounded before it is decoded: a client decides how long it is, and repairing bytes that are no UTF-8 is slow.
        String(decoding: (frames.first ?? []).prefix(RequestTopic.maximumBytes), as: UTF8.self)
    }

    /// Returns a reply as a message for the socket that the command arrived on.
    public func answer(_ reply: Reply) -> Message {
        Message(envelope + reply.frames, peer: sender, connection: connection)
    }

    var asksForPage: Bool { name == "replay" || name == "latest" }
}

extension Reply {
    // Encoded once, so that a client that floods the socket does not delay others.
    private static let tooManyFrames = Reply.refused(
        ContractError(.badRequest, "the command has too many frames; it should have two"))
    private static let noRoom = Reply.refused(
        ContractError(.overloaded, "the receive queue is full", retryAfter: 1))
    private static let oldPeer = Reply.refused(
        ContractError(.badRequest, "the client's ZeroMQ is too old; commands need version 4.0 or later"))

    fileprivate init(to truncation: Message.Truncation) {
        self =
            switch truncation {
            case .tooManyFrames: .tooManyFrames
            case .noRoom: .noRoom
            case .oldPeer: .oldPeer
            }
    }
}
