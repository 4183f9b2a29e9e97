public import Contract
public import EventStore
public import Storage

/// Answers the commands of a process that has a log: `status`, `replay`, `latest` and the process's own.
/// Every command passes the request guard here, and nowhere else.
public struct LogHandler: Sendable {
    /// Answers one command, or throws why it is refused.
    public typealias Answer = @Sendable (Command) async throws -> Reply

    private let log: EventLog
    private let database: Database
    private let requestGuard: RequestGuard
    private let own: [String: Answer]
    private let status: @Sendable () async throws -> Reply

    /// Makes the handler of a process; `own` are the commands that only this process has, by name.
    public init(
        log: EventLog, database: Database, requestGuard: RequestGuard = .unrestricted(), own: [String: Answer] = [:],
        status: @escaping @Sendable () async throws -> Reply
    ) {
        self.log = log
        self.database = database
        self.requestGuard = requestGuard
        self.own = own
        self.status = status
    }

    /// Answers commands one after another.
    public func answer(_ commands: [Command]) async -> [Reply] {
        var replies: [Reply] = []
        for command in commands { replies.append(await answer(command)) }
        return replies
    }

    /// Answers a command.
    public func answer(_ command: Command) async -> Reply {
        if let failure = requestGuard.refusal(of: command.name, from: command.sender) { return .refused(failure) }
        if command.asksForPage, let failure = requestGuard.refusal(ofPageWithUnread: command.unread) {
            return .refused(failure)
        }
        do {
            if let answer = own[command.name] {
                // A process's own command may take long, and this may be the I/O thread.
                let reply = try await withTaskExecutorPreference(globalConcurrentExecutor) { try await answer(command) }
                requestGuard.recordAccepted(command)
                return reply
            }
            switch command.name {
            case "status": return try await status()
            case "replay": return try await replay(PageFields(frames: command.frames))
            case "latest": return try await latest(PageFields(frames: command.frames))
            default:
                let name = String(command.name.prefix(40)).debugDescription
                throw ContractError(.badRequest, "unknown command \(name)", field: "command")
            }
        } catch {
            let failure = ContractError(error, "\(command.name) failed; the process's log says why")
            if failure.code == .internal { requestGuard.recordFailure(of: command, error) }
            return .refused(failure)
        }
    }

    private func replay(_ fields: PageFields) async throws -> Reply {
        let stream = try fields.requiredStream()
        let (after, limit) = (try fields.sequence(), try fields.count())
        let (page, first) = try await database.read { connection in
            let page = try log.frames(of: stream, after: after, prefix: fields.prefix, limit: limit, in: connection)
            return (page, try log.oldest(of: stream, in: connection))
        }
        let header = PageHeader(
            epoch: log.epoch, stream: stream, position: page.position, more: page.more, first: first)
        return .events(page.frames, header)
    }

    private func latest(_ fields: PageFields) async throws -> Reply {
        let limit = try fields.count()
        let snapshot = try await database.read { connection in
            try log.latest(prefix: fields.prefix, after: fields.lastTopic, limit: limit, in: connection)
        }
        let stream = Stream(ofPrefix: fields.prefix)
        let header = PageHeader(
            epoch: log.epoch, stream: stream, position: stream.map { snapshot.positions[$0] ?? .zero },
            more: snapshot.more, positions: snapshot.positions)
        return .events(snapshot.events.flatMap(\.frames), header)
    }
}

extension ContractError {
    /// Returns the error with which a command is refused that failed: the error itself if it is one of the contract's. For an
    /// internal one, `message` says what failed; not in the database's words, which name hosts, users and files.
    public init(_ error: any Error, _ message: @autoclosure () -> String) {
        switch error {
        case let error as ContractError: self = error
        case let error as DatabaseError where error.isRetryable:
            let reason = error.kind == .unreachable ? "cannot be reached" : "is busy or its disk is full"
            self.init(.overloaded, "the database \(reason)", retryAfter: 1)
        default: self.init(.internal, message())
        }
    }
}
