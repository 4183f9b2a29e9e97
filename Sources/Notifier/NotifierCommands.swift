import Events

/// Answers the notifier's commands: those that every log has, and its own.
struct NotifierCommands: Sendable {
    let log: LogCommands<NotifierStatus>
    let retry: RetryCommand

    /// The answers to a batch, in its order.
    func answer(_ batch: [Command]) async -> [Reply] {
        var replies: [Reply] = []
        for command in batch {
            replies.append(command.name == "retry" ? await retry.answer(command) : await log.answer(command))
        }
        return replies
    }
}
