import Events

/// A request that is safely in the inbox.
struct AcceptedRequest: Hashable, Sendable {
    /// Its id, the client's own or ours.
    let id: RequestID
    /// What is wanted.
    let request: Request
    /// Who sent it, if it came in since the start.
    var client: String?
    /// The database's commit count when the log had no answer to it: while it stays, there is none.
    var unansweredAt: Int?
}
