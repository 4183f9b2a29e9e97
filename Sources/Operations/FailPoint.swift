/// A step between the arrival of something and the sending of what follows from it, at which a process can be made to die.
///
/// The raw values are what `--crash-at` takes; docs/reliability.md explains what they are for.
public enum FailPoint: String, Sendable, CaseIterable {
    /// Requests have come in; nothing of them is on disk.
    case received
    /// Requests are in the inbox's open transaction.
    case stored
    /// Requests are on disk; nobody has been told.
    case accepted
    /// Receipts have been handed to the socket.
    case answered
    /// The mark that an order may have been sent is on disk; nothing has been sent.
    case attempted
    /// What a request asked for has been found; nothing of it is on disk.
    case fetched
    /// A chart has been read; nothing has been decided on it.
    case read
    /// Alerts have been decided; nothing of them is on disk.
    case decided
    /// An outcome is in the open transaction: a request's end with its events, or a chart with its alerts.
    case settled
    /// An outcome is on disk; its events have not been sent.
    case committed
    /// An outcome's events have been handed to the socket.
    case published
    /// A letter is booked as tried; nothing of it has been sent.
    case posted
    /// A sink has answered; nothing of that is on disk.
    case delivered
}
