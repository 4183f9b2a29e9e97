import Contract

/// Who asks for something; the raw values are in the inbox's table.
enum RequestOrigin: Int, Sendable {
    case client = 0
    case schedule = 1
    case backfill = 2
}

/// A request that is in the inbox, or about to be: its end is written after it, or not at all.
struct AcceptedRequest: Hashable, Sendable {
    /// Its id, the client's own or ours.
    let id: RequestID
    /// What is wanted.
    let request: Request
    /// Who asks for it.
    var origin = RequestOrigin.client
    /// Who sent it, if it came in since the start.
    var client: String?
}
