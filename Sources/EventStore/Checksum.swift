import SQLite

/// A number by which an event's stored bytes are known to be the ones that were written.
///
/// FNV-1a with 64 bits, a word of eight bytes at a time, whose upper half is folded into the lower: a changed word always
/// changes it, more of them all but always. It guards against disks, not against people.
struct Checksum: Hashable, Sendable {
    /// How many bytes go in at a time.
    private enum Step {
        case byte
        case word
    }

    private static let prime: UInt64 = 0x100_0000_01b3

    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    /// The checksum of an event: of its topic, a zero byte and its body.
    init(of event: LoggedEvent) {
        self.init(of: event, by: .word)
    }

    private init(of event: LoggedEvent, by step: Step) {
        add(event.frames[0], by: step)
        add([0], by: step)
        add(event.body, by: step)
    }

    /// Whether it is an event's, be it of old, when each byte went in alone.
    func fits(_ event: LoggedEvent) -> Bool {
        self == Checksum(of: event, by: .word) || self == Checksum(of: event, by: .byte)
    }

    private mutating func add(_ bytes: [UInt8], by step: Step) {
        bytes.withUnsafeBytes { bytes in
            var value = value
            var index = 0
            // Not `for`: iterators are slow in a build for debugging, and this runs over all events at each start.
            while step == .word, index + 8 <= bytes.count {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                value = (value ^ word) &* Self.prime
                value ^= value >> 32
                index += 8
            }
            while index < bytes.count {
                value = (value ^ UInt64(bytes[index])) &* Self.prime
                index += 1
            }
            self.value = value
        }
    }
}

extension Checksum: Storable {
    /// The number's bits as an integer.
    var stored: StoredValue { .integer(Int64(bitPattern: value)) }

    /// Takes an integer.
    init?(stored: StoredValue) {
        guard case .integer(let number) = stored else { return nil }
        value = UInt64(bitPattern: number)
    }
}
