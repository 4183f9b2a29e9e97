/// The commands that every process with a log answers.
public struct LogCommands<Status: Encodable & Sendable>: Sendable {
    private let status: @Sendable () async throws -> Status

    /// Makes them; `status` tells how the process is.
    public init(status: @escaping @Sendable () async throws -> Status) {
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
        switch command.name {
        case "status":
            do {
                return .status(try await status())
            } catch {
                return .refused(Failure(.internal, "the status cannot be told: \(error)"))
            }
        case "replay", "latest":
            return .refused(Failure(.badRequest, "\(command.name) is not built yet", field: "command"))
        default:
            let name = String(command.name.prefix(40)).debugDescription
            return .refused(Failure(.badRequest, "no command is called \(name)", field: "command"))
        }
    }
}
