import Events

/// A request that is in the inbox, or about to be: its end is written after it, or not at all.
struct AcceptedRequest: Hashable, Sendable {
    /// Its id, the client's own or ours.
    let id: RequestID
    /// What is wanted.
    let request: Request
    /// Who sent it, if it came in since the start.
    var client: String?
    /// The database's commit count at which the log had no answer to it: until it is higher, there is none.
    var unansweredAt: Int?
}

extension AcceptedRequest {
    /// Whether it has something changed elsewhere, and does not only ask.
    var isOrder: Bool { if case .productOrder = request.target { true } else { false } }

    /// The same, with the commit count at which the log had no answer to it.
    func unanswered(at count: Int) -> AcceptedRequest {
        var copy = self
        copy.unansweredAt = count
        return copy
    }
}
