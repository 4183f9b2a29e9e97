/// Answers libzmq's question whether a client may come in: the handler of ZAP (RFC 27), on the I/O thread itself.
///
/// The domain of a question is the kind of socket that the client wants to reach; sockets of one kind share their rules.
struct ZAPHandler {
    let admission: @Sendable (PublicKey, SocketKind) -> Encryption.Admission
    let onFailure: @Sendable (HandshakeFailure) -> Void

    /// Where libzmq looks for the handler, in every context.
    static let address = "inproc://zeromq.zap.01"

    /// The answer to a question; a question that is none is refused, too.
    func answer(_ question: Message) -> Message {
        let frames = question.frames
        // version, request id, domain, address, routing id, mechanism, then what the mechanism has to show
        guard frames.count == 7, frames[0] == Array("1.0".utf8), question.text(at: 5) == "CURVE",
            let socket = question.text(at: 2).flatMap(SocketKind.init(rawValue:)), let key = PublicKey(bytes: frames[6])
        else {
            return Self.reply(to: frames, "500", "not a question that CURVE asks")
        }
        switch admission(key, socket) {
        case .admitted(let name):
            return Self.reply(to: frames, "200", "OK", name: name)
        case .refused(let reason):
            onFailure(
                HandshakeFailure(socket: socket, address: question.text(at: 3), reason: reason, key: key))
            return Self.reply(to: frames, "400", reason.rawValue)
        }
    }

    private static func reply(to frames: [[UInt8]], _ status: String, _ text: String, name: String = "") -> Message {
        let id = frames.count > 1 ? frames[1] : []
        // version, request id, status, text, user id, metadata
        return Message([Array("1.0".utf8), id] + [status, text, name, ""].map { Array($0.utf8) })
    }
}
