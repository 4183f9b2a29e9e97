internal import CZMQ

/// The keys and the admission rule of CURVE (RFC 26); with them, every socket of an I/O thread is encrypted.
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

        var settings: [SocketSetting] {
            [
                SocketSetting(ZMQ_CURVE_SERVERKEY, bytes: server.bytes),
                SocketSetting(ZMQ_CURVE_PUBLICKEY, bytes: keys.publicKey.bytes),
                SocketSetting(ZMQ_CURVE_SECRETKEY, bytes: keys.secretKey),
            ]
        }
    }

    /// What bound sockets need.
    public struct Server: Sendable {
        let keys: KeyPair
        let admission: @Sendable (PublicKey, SocketKind) -> Admission

        /// Makes a server; `admission` is called on the I/O thread and must be quick.
        public init(keys: KeyPair, admission: @escaping @Sendable (PublicKey, SocketKind) -> Admission) {
            self.keys = keys
            self.admission = admission
        }

        /// Returns the libzmq options of a server. Its ZAP domain is the kind of socket that a client connects to.
        func settings(for kind: SocketKind) -> [SocketSetting] {
            [
                SocketSetting(ZMQ_CURVE_SERVER, 1),
                SocketSetting(ZMQ_CURVE_SECRETKEY, bytes: keys.secretKey),
                SocketSetting(ZMQ_ZAP_DOMAIN, bytes: Array(kind.rawValue.utf8)),
            ]
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

/// The handler of ZAP (RFC 27): answers libzmq's requests to admit a client, on the I/O thread.
///
/// The domain of a request is the kind of socket that the client connects to; all sockets of one kind share their rules.
struct ZAPHandler {
    /// The address at which libzmq expects the handler, in every context.
    static let address = "inproc://zeromq.zap.01"

    let admission: @Sendable (PublicKey, SocketKind) -> Encryption.Admission
    let onFailure: @Sendable (HandshakeFailure) -> Void

    /// Returns the reply to a request; a malformed request is refused.
    func reply(to request: Message) -> Message {
        let frames = request.frames
        func reply(_ status: String, _ text: String, name: String = "") -> Message {
            let id = frames.count > 1 ? frames[1] : []
            // version, request id, status, text, user id, metadata
            return Message([Array("1.0".utf8), id] + [status, text, name, ""].map { Array($0.utf8) })
        }
        // version, request id, domain, address, routing id, mechanism, credentials
        guard frames.count == 7, frames[0] == Array("1.0".utf8), request.text(at: 5) == "CURVE",
            let socket = request.text(at: 2).flatMap(SocketKind.init(rawValue:)), let key = PublicKey(bytes: frames[6])
        else { return reply("500", "malformed CURVE request") }
        switch admission(key, socket) {
        case .admitted(let name):
            return reply("200", "OK", name: name)
        case .refused(let reason):
            onFailure(
                HandshakeFailure(socket: socket, address: request.text(at: 3), reason: reason, key: key))
            return reply("400", reason.rawValue)
        }
    }
}
