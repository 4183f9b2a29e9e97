/// What a client with a key may do; a key has any of them.
///
/// Whoever has a key may ask for `status`.
public enum Role: String, Sendable, Hashable, CaseIterable {
    /// Subscribe to events and alerts, and ask for the latest.
    case read
    /// Send requests that only fetch.
    case request
    /// Send requests that change something at an upstream, and read the log again (`replay`).
    case operate

    /// What a command or request needs, or nil if any client may send it.
    init?(for command: String) {
        switch command {
        case "status": return nil
        case "latest": self = .read
        case "replay": self = .operate
        default:
            let word = command.prefix { $0 != "." && $0 != " " }
            self = word == "fetch" ? .request : .operate
        }
    }
}
