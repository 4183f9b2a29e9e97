internal import CZMQ

/// The keys and the admission rule of CURVE (RFC 26); with them, every socket of an I/O thread is encrypted.
///
/// A bound socket is the server of its connections, a connected socket a client.
///
/// Keys belong to a thread, not to a socket, so that no socket can be opened without them by mistake.
public struct Encryption: Sendable {
    /// What connected sockets need.
    public struct Client: Sendable {
        let keys: KeyPair
        let server: PublicKey

        /// Makes a client that identifies itself with `keys` and connects only to the server with the key `server`.
        public init(keys: KeyPair, server: PublicKey) {
            self.keys = keys
            self.server = server
        }
    }

    /// What bound sockets need.
    public struct Server: Sendable {
        let keys: KeyPair
        let admission: @Sendable (PublicKey, SocketKind) -> Admission

        /// Makes a server.
        ///
        /// - Parameter admission: Decides whether to admit a client, by its key and the kind of socket it connects to.
        ///   Called on the I/O thread; must be quick.
        public init(keys: KeyPair, admission: @escaping @Sendable (PublicKey, SocketKind) -> Admission) {
            self.keys = keys
            self.admission = admission
        }
    }

    /// Whether a client is admitted.
    public enum Admission: Sendable, Hashable {
        /// The client is admitted under this name, which its messages carry (`Message.peer`).
        case admitted(name: String)
        /// The client is not admitted.
        case refused(HandshakeFailure.Reason)
    }

    let client: Client?
    let server: Server?

    /// Makes an encryption; a socket whose half is nil cannot be opened.
    public init(client: Client?, server: Server?) {
        self.client = client
        self.server = server
    }
}

extension Encryption.Client {
    /// The libzmq options of a client.
    var settings: [SocketSetting] {
        [
            SocketSetting(ZMQ_CURVE_SERVERKEY, bytes: server.bytes),
            SocketSetting(ZMQ_CURVE_PUBLICKEY, bytes: keys.publicKey.bytes),
            SocketSetting(ZMQ_CURVE_SECRETKEY, bytes: keys.secretKey),
        ]
    }
}

extension Encryption.Server {
    /// Returns the libzmq options of a server. Its ZAP domain is the kind of socket that a client connects to.
    func settings(for kind: SocketKind) -> [SocketSetting] {
        [
            SocketSetting(ZMQ_CURVE_SERVER, 1),
            SocketSetting(ZMQ_CURVE_SECRETKEY, bytes: keys.secretKey),
            SocketSetting(ZMQ_ZAP_DOMAIN, bytes: Array(kind.rawValue.utf8)),
        ]
    }
}
