import Events

/// A request that is in the inbox, or about to be: its end is written after it, or not at all.
struct AcceptedRequest: Hashable, Sendable {
    /// Its id, the client's own or ours.
    let id: RequestID
    /// What is wanted.
    let request: Request
    /// Who sent it, if it came in since the start.
    var client: String?
}
