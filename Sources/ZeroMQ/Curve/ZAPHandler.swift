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
        // version, request id, domain, address, routing id, mechanism, credentials
        guard frames.count == 7, frames[0] == Array("1.0".utf8), request.text(at: 5) == "CURVE",
            let socket = request.text(at: 2).flatMap(SocketKind.init(rawValue:)), let key = PublicKey(bytes: frames[6])
        else {
            return Self.reply(to: frames, "500", "malformed CURVE request")
        }
        switch admission(key, socket) {
        case .admitted(let name):
            return Self.reply(to: frames, "200", "OK", name: name)
        case .refused(let reason):
            onFailure(
                HandshakeFailure(socket: socket, address: request.text(at: 3), reason: reason, key: key))
            return Self.reply(to: frames, "400", reason.rawValue)
        }
    }

    private static func reply(to frames: [[UInt8]], _ status: String, _ text: String, name: String = "") -> Message {
        let id = frames.count > 1 ? frames[1] : []
        // version, request id, status, text, user id, metadata
        return Message([Array("1.0".utf8), id] + [status, text, name, ""].map { Array($0.utf8) })
    }
}
