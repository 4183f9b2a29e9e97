internal import CZMQ

/// A CURVE key pair, which identifies a program to its peers.
///
/// The secret key never appears in a description, a dump or an interpolation.
public struct KeyPair: Sendable {
    /// The public key, which peers may know.
    public let publicKey: PublicKey
    let secretKey: [UInt8]

    /// Generates a key pair with zmq_curve_keypair(3).
    public init() {
        var publicText = [CChar](repeating: 0, count: 41)
        var secretText = publicText
        let status = zmq_curve_keypair(&publicText, &secretText)
        precondition(status == 0, "zmq_curve_keypair: this libzmq is built without CURVE")
        guard let pair = KeyPair(secret: text(secretText)) else {
            preconditionFailure("zmq_curve_keypair returned an invalid key")
        }
        self = pair
    }

    /// Reads the secret key from its 40 characters and derives the public key with zmq_curve_public(3).
    public init?(secret: String) {
        var publicText = [CChar](repeating: 0, count: 41)
        guard let secretKey = decodeKey(secret), zmq_curve_public(&publicText, secret) == 0,
            let publicKey = PublicKey(text(publicText))
        else { return nil }
        self.publicKey = publicKey
        self.secretKey = secretKey
    }

    /// The 40 characters of the secret key. Write them only to a file that no other user can read.
    public var secret: String { encodeKey(secretKey) }
}

extension KeyPair: CustomStringConvertible, CustomReflectable {
    /// The public key.
    public var description: String { publicKey.description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The public key of a CURVE key pair; its text is 40 characters of Z85 (RFC 32).
public struct PublicKey: Hashable, Sendable, CustomStringConvertible {
    let bytes: [UInt8]

    /// Reads a key from its 40 characters; returns nil if the text is not a key.
    public init?(_ text: String) {
        guard let bytes = decodeKey(text) else { return nil }
        self.bytes = bytes
    }

    init?(bytes: [UInt8]) {
        guard bytes.count == keySize else { return nil }
        self.bytes = bytes
    }

    /// The 40 characters of the key.
    public var description: String { encodeKey(bytes) }
}

// MARK: - Z85

/// The size of a CURVE key in bytes.
private let keySize = 32

/// zmq_z85_encode(3).
private func encodeKey(_ bytes: [UInt8]) -> String {
    // Z85 encodes four bytes in five characters, and zmq_z85_encode adds a zero.
    var characters = [CChar](repeating: 0, count: keySize / 4 * 5 + 1)
    zmq_z85_encode(&characters, bytes, keySize)
    return text(characters)
}

/// Returns what libzmq has written, without the zero at its end.
private func text(_ characters: [CChar]) -> String {
    String(decoding: characters.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// zmq_z85_decode(3); returns nil if the text is not a key.
private func decodeKey(_ text: String) -> [UInt8]? {
    // Checked first, because zmq_z85_decode reads until a zero and writes as many bytes as that makes.
    guard text.utf8.count == keySize / 4 * 5, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
    var bytes = [UInt8](repeating: 0, count: keySize)
    return zmq_z85_decode(&bytes, text) == nil ? nil : bytes
}
