import Concurrency
public import SQLite

/// The commands that every process with a log answers, and a process's own; who may send which is decided here alone.
public struct LogCommands<Status: Encodable & Sendable>: Sendable {
    /// Answers a command, in any case.
    public typealias Answer = @Sendable (Command) async -> Reply

    private let log: EventLog
    private let database: Database
    private let door: Door
    private let own: [String: Answer]
    private let status: @Sendable () async throws -> Status
    private let state: (@Sendable () -> [Int])?
    private let kept = Locked<(state: [Int], reply: Reply)?>(nil)

    /// Makes them for a log and the database that it is in; `status` tells how the process is, `door` who may ask, `own` has
    /// the process's own by their names. With `state`, numbers of which one changes whenever the status does, a status is
    /// made once and given again until then.
    public init(
        log: EventLog, database: Database, door: Door = .open(), own: [String: Answer] = [:],
        state: (@Sendable () -> [Int])? = nil, status: @escaping @Sendable () async throws -> Status
    ) {
        self.log = log
        self.database = database
        self.door = door
        self.own = own
        self.status = status
        self.state = state
    }

    /// The answer to a command that needs nothing looked up: the status, as long as the last that was made is still true.
    public func answerAtOnce(_ command: Command) -> Reply? {
        guard command.name == "status", let status = keptStatus(in: state?()) else { return nil }
        return door.refusal(of: command.name, from: command.sender).map(Reply.refused) ?? status
    }

    private func keptStatus(in state: [Int]?) -> Reply? {
        guard let kept = kept.withLock({ $0 }), kept.state == state else { return nil }
        return kept.reply
    }

    private func currentStatus() async throws -> Reply {
        let before = state?()  // what changes meanwhile makes the numbers others
        if let status = keptStatus(in: before) { return status }
        let reply = Reply.status(try await status())
        if let before { kept.withLock { $0 = (before, reply) } }
        return reply
    }

    /// Answers commands one after the other.
    public func answer(_ commands: [Command]) async -> [Reply] {
        var replies: [Reply] = []
        for command in commands { replies.append(await answer(command)) }
        return replies
    }

    /// Answers a command, in any case: there is no silence.
    public func answer(_ command: Command) async -> Reply {
        if let failure = door.refusal(of: command.name, from: command.sender) { return .refused(failure) }
        if command.asksForPage, let failure = door.refusal(ofAPageOnTopOf: command.unread) { return .refused(failure) }
        if let answer = own[command.name] {
            // What a process's own commands do may take its time, and whoever asks may be the thread of the socket.
            return await withTaskExecutorPreference(globalConcurrentExecutor) { await answer(command) }
        }
        do {
            switch command.name {
            case "status": return try await currentStatus()
            case "replay": return try await replay(PageFields(command))
            case "latest": return try await latest(PageFields(command))
            default:
                let name = String(command.name.prefix(40)).debugDescription
                return .refused(Failure(.badRequest, "no command is called \(name)", field: "command"))
            }
        } catch let failure as Failure {
            return .refused(failure)
        } catch {
            return .refused(Failure(.internal, "\(command.name) cannot be answered: \(error)"))
        }
    }

    private func replay(_ fields: PageFields) async throws -> Reply {
        let stream = try fields.knownStream()
        let (after, limit) = (try fields.place(), try fields.count())
        let page = try await database.read { connection in
            try log.frames(of: stream, after: after, prefix: fields.prefix, limit: limit, in: connection)
        }
        return .events(page.frames, PageHeader(page, of: stream, epoch: log.epoch))
    }

    private func latest(_ fields: PageFields) async throws -> Reply {
        let limit = try fields.count()
        let snapshot = try await database.read { connection in
            try log.latest(prefix: fields.prefix, after: fields.lastTopic, limit: limit, in: connection)
        }
        let frames = snapshot.events.flatMap(\.frames)
        return .events(frames, PageHeader(snapshot, prefix: fields.prefix, epoch: log.epoch))
    }
}
