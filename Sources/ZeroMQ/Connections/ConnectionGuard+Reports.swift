extension ConnectionGuard {
    /// The callbacks for failed and dropped connections; they run on the I/O thread.
    struct Observer: Sendable {
        /// Called when a connection has failed before its first message.
        let onFailure: @Sendable (HandshakeFailure) -> Void
        /// Called when this program has disconnected a client.
        let onDrop: @Sendable (DroppedConnection) -> Void
    }
}

/// A connection that failed before its first message.
public struct HandshakeFailure: Sendable, Hashable {
    /// Why a connection failed; the raw value is the code for logs and metrics.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The client's key is not one of those that are admitted.
        case unknownKey
        /// The client is known but may not use this socket.
        case missingRole
        /// The server that this program connects to has refused it.
        case refused
        /// Too many clients are connected, or connect; see `SocketOptions.maximumConnections`.
        case tooManyConnections
        /// The peer does not speak ZeroMQ as this socket does: another program, no encryption, or another server's key.
        case `protocol`
        /// The client has sent a message by ZMTP 1.0 or 2.0, which ZeroMQ before 4.0 speaks.
        case version
        /// The connection was closed, or the handshake took too long.
        case broken
    }

    /// The kind of socket that was connected to, or that connected.
    public let socket: SocketKind
    /// The address of the client, or of the server that was connected to; nil if it was gone too soon.
    public let address: String?
    /// Why the connection failed.
    public let reason: Reason
    /// The client's key, if the handshake came as far as that.
    public let key: PublicKey?
}

/// A client that was disconnected because it exceeded a limit or lost its rights.
public struct DroppedConnection: Sendable, Hashable {
    /// Why a client was disconnected; the raw value is the code for logs and metrics.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// It sent more bytes of one message than there is room for.
        case endless
        /// It had the most unread bytes of all clients when there was no more room for them.
        case unread
        /// It has too many subscriptions, or had the most of all clients when there was no more room for them.
        case subscriptions
        /// Its key has `SocketOptions.maximumConnectionsPerKey` connections already.
        case crowded
        /// It was connected to a router for `SocketOptions.firstMessage` and sent no message, or the router did not deliver
        /// any, because another connection has its routing id.
        case silent
        /// Its key is not admitted any more, or was not known when another key was withdrawn.
        case revoked
    }

    /// The kind of socket that the client was connected to.
    public let socket: SocketKind
    /// The address of the client; nil for `ipc`.
    public let address: String?
    /// Why the client was disconnected.
    public let reason: Reason
}
