import SQLite

/// A number by which an event's stored bytes are known to be the ones that were written.
///
/// FNV-1a with 64 bits: a changed byte always changes it, more of them all but always. It guards against disks, not
/// against people.
struct Checksum: Hashable, Sendable {
    private static let prime: UInt64 = 0x100_0000_01b3

    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    /// The checksum of an event: of its topic, a zero byte and its body.
    init(of event: LoggedEvent) {
        add(event.frames[0])
        add([0])
        add(event.body)
    }

    private mutating func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { bytes in
            var value = value
            var index = 0
            // Not `for`: iterators are slow in a build for debugging, and this runs over all events at each start.
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
