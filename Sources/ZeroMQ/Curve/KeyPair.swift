internal import CZMQ

/// A CURVE key pair: who we are to our peers.
///
/// No description, dump or interpolation shows the secret half.
public struct KeyPair: Sendable {
    /// The half that others may know.
    public let publicKey: PublicKey
    let secretKey: [UInt8]

    /// Makes a new pair, with zmq_curve_keypair(3).
    public init() {
        var publicText = [CChar](repeating: 0, count: 41)
        var secretText = publicText
        let status = zmq_curve_keypair(&publicText, &secretText)
        precondition(status == 0, "zmq_curve_keypair: this libzmq is built without CURVE")
        let texts = [publicText, secretText].map { text in
            String(decoding: text.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        guard let publicKey = PublicKey(texts[0]), let secretKey = decodeKey(texts[1]) else {
            preconditionFailure("zmq_curve_keypair made what is no key")
        }
        self.publicKey = publicKey
        self.secretKey = secretKey
    }

    /// Reads the secret half from its 40 characters; the public one follows from it, with zmq_curve_public(3).
    public init?(secret text: String) {
        var publicText = [CChar](repeating: 0, count: 41)
        guard let secretKey = decodeKey(text), zmq_curve_public(&publicText, text) == 0 else { return nil }
        let bytes = publicText.dropLast().map(UInt8.init(bitPattern:))
        guard let publicKey = PublicKey(String(decoding: bytes, as: UTF8.self)) else { return nil }
        self.publicKey = publicKey
        self.secretKey = secretKey
    }

    /// The secret half's 40 characters, to be written into a file that nobody else can read, and nowhere else.
    public var secret: String { encodeKey(secretKey) }
}

extension KeyPair: CustomStringConvertible, CustomReflectable {
    /// The public half.
    public var description: String { publicKey.description }
    /// Shows no parts.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
