public import Contract
public import EventStore
public import SQLite

/// The commands that every process with a log answers, and a process's own; who may send which is decided here alone.
public struct LogCommandHandler: Sendable {
    /// Answers a command, in any case.
    public typealias Answer = @Sendable (Command) async -> Reply

    private let log: EventLog
    private let database: Database
    private let door: RequestGuard
    private let own: [String: Answer]
    private let status: @Sendable () async throws -> Reply

    /// Makes the commands of a process.
    ///
    /// - Parameters:
    ///   - log: The log that `replay` and `latest` read.
    ///   - database: The database that the log is in.
    ///   - door: Decides who may send which command.
    ///   - own: The commands that only this process has, by their names.
    ///   - status: Makes the reply to `status`.
    public init(
        log: EventLog, database: Database, door: RequestGuard = .open(), own: [String: Answer] = [:],
        status: @escaping @Sendable () async throws -> Reply
    ) {
        self.log = log
        self.database = database
        self.door = door
        self.own = own
        self.status = status
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
            case "status": return try await status()
            case "replay": return try await replay(PageFields(frames: command.frames))
            case "latest": return try await latest(PageFields(frames: command.frames))
            default:
                let name = String(command.name.prefix(40)).debugDescription
                return .refused(ContractError(.badRequest, "no command is called \(name)", field: "command"))
            }
        } catch let failure as ContractError {
            return .refused(failure)
        } catch {
            return .refused(ContractError(.internal, "\(command.name) cannot be answered: \(error)"))
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
