internal import CZMQ

/// The half of a CURVE key pair that others may know; written as 40 characters of Z85 (RFC 32).
public struct PublicKey: Hashable, Sendable, CustomStringConvertible {
    /// The key's 32 bytes.
    let bytes: [UInt8]

    /// Reads a key from its 40 characters.
    public init?(_ text: String) {
        guard let bytes = decodeKey(text) else { return nil }
        self.bytes = bytes
    }

    /// Takes a key as it travels.
    init?(bytes: [UInt8]) {
        guard bytes.count == keySize else { return nil }
        self.bytes = bytes
    }

    /// The 40 characters.
    public var description: String { encodeKey(bytes) }
}

/// CURVE's keys have 32 bytes.
let keySize = 32

/// zmq_z85_encode(3).
func encodeKey(_ bytes: [UInt8]) -> String {
    // Four bytes become five characters, and zmq_z85_encode adds a zero.
    var text = [CChar](repeating: 0, count: keySize / 4 * 5 + 1)
    zmq_z85_encode(&text, bytes, keySize)
    return String(decoding: text.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// zmq_z85_decode(3); nothing if the text is no key.
func decodeKey(_ text: String) -> [UInt8]? {
    // Checked first, because the function reads until a zero, and writes whatever that comes to.
    guard text.utf8.count == keySize / 4 * 5, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
    var bytes = [UInt8](repeating: 0, count: keySize)
    return zmq_z85_decode(&bytes, text) == nil ? nil : bytes
}
