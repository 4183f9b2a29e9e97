/// Who a program is to its peers and whom it lets in: with it, every socket of an I/O thread speaks CURVE (RFC 26).
///
/// A socket that binds is the server of its connections, one that connects a client.
///
/// See docs/decisions/0025-curve-on-the-io-thread.md.
public struct Encryption: Sendable {
    /// What sockets need that connect.
    public struct Client: Sendable {
        let keys: KeyPair
        let server: PublicKey

        /// We show `keys`, and talk to nobody but the server with the given key.
        public init(keys: KeyPair, server: PublicKey) {
            self.keys = keys
            self.server = server
        }
    }

    /// What sockets need that bind.
    public struct Server: Sendable {
        let keys: KeyPair
        let admission: @Sendable (PublicKey, SocketKind) -> Admission

        /// We show `keys`; `admission` is asked on the I/O thread about each client, for the kind of socket that the client
        /// wants to reach, and must be quick.
        public init(keys: KeyPair, admission: @escaping @Sendable (PublicKey, SocketKind) -> Admission) {
            self.keys = keys
            self.admission = admission
        }
    }

    /// Whether a client may come in.
    public enum Admission: Sendable, Hashable {
        /// It may, under this name, which its messages then carry (`Message.sender`).
        case admitted(name: String)
        /// It may not.
        case refused(HandshakeFailure.Reason)
    }

    let client: Client?
    let server: Server?

    /// What a program has of the two; a socket that needs what is missing cannot be opened.
    public init(client: Client?, server: Server?) {
        self.client = client
        self.server = server
    }
}
