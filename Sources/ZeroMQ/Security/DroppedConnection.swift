/// A client's connection that was ended from here, because it would fill the memory.
public struct DroppedConnection: Sendable, Hashable {
    /// Why; the raw value is the short word for logs and metrics.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// It sent more frames of one message than there is room for.
        case endless
        /// Of all clients, it had left most answers unread when there was no more room for them.
        case unread
    }

    /// What the connection was for.
    public let socket: SocketKind
    /// Where the client came from; nil for `ipc`.
    public let address: String?
    /// Why it was ended.
    public let reason: Reason
}
