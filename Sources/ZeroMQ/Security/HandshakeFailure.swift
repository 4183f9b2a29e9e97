/// A connection that came to nothing before its first message.
public struct HandshakeFailure: Sendable, Hashable {
    /// Why; the raw value is the short word for logs and metrics.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The client's key is none of those that may come in.
        case unknownKey
        /// The client is known, but may not use this socket.
        case missingRole
        /// The server that we connect to does not let us in.
        case refused
        /// As many are connected as may be.
        case tooManyConnections
        /// What came is not what ZeroMQ says here: another program, no encryption, or another server's key.
        case `protocol`
        /// It was closed, or took too long.
        case broken
    }

    /// What the connection was for.
    public let socket: SocketKind
    /// The other side: where a client came from, or the server that was connected to; nil if it was gone too quickly.
    public let address: String?
    /// Why it failed.
    public let reason: Reason
    /// The client's key, if it came as far as showing one.
    public let key: PublicKey?
}
