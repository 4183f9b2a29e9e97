import CXXHash
import SQLite

/// A 64-bit checksum of an event's topic and body. It detects damage, not forgery.
///
/// See docs/decisions/0006-event-log-integrity.md.
struct Checksum: Hashable, Sendable {
    /// The functions that checksums in logs were made with; the raw value is in the column `checksum_kind`.
    enum Kind: Int, Sendable {
        /// FNV-1a, by single bytes or by words of eight bytes: read in older logs, never written.
        case fnv1a = 0
        /// XXH3 with 64 bits, from libxxhash: the checksum of every new event.
        case xxh3 = 1
    }

    /// The function that `value` was made with.
    let kind: Kind
    /// The function's result.
    let value: UInt64

    /// Computes the checksum of a new event: XXH3 of its topic, a zero byte and its body.
    init(of event: LoggedEvent) {
        kind = .xxh3
        value = xxh3(event.topicName, separator, event.body)
    }

    /// Reads the checksum of a row; nil if the two columns do not belong together.
    init?(kind: Int, stored: Int) {
        guard let kind = Kind(rawValue: kind) else { return nil }
        self.kind = kind
        value = UInt64(bitPattern: Int64(stored))
    }

    /// Whether the event's topic and body are those that the checksum was made of.
    ///
    /// Only the function that the row names is tried: a row with an XXH3 checksum never passes by FNV-1a.
    func matches(_ event: LoggedEvent) -> Bool {
        switch kind {
        case .xxh3: self == Checksum(of: event)
        case .fnv1a: FNV1a.Step.allCases.contains { value == FNV1a(of: event, by: $0).value }
        }
    }
}

extension Checksum {
    /// The checksum's bits as SQLite keeps them.
    var stored: Int { Int(Int64(bitPattern: value)) }
}

private let separator: [UInt8] = [0]

private func xxh3(_ parts: [UInt8]...) -> UInt64 {
    // Allocated by the library, because the state must be aligned to 64 bytes.
    guard let state = XXH3_createState() else { preconditionFailure("out of memory") }
    defer { XXH3_freeState(state) }
    XXH3_64bits_reset(state)
    for part in parts { XXH3_64bits_update(state, part, part.count) }
    return XXH3_64bits_digest(state)
}

/// The checksum of older logs, which are verified and no longer written.
private struct FNV1a {
    /// The number of bytes that are hashed at a time.
    enum Step: CaseIterable {
        case word
        case byte
    }

    private static let prime: UInt64 = 0x100_0000_01b3

    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    init(of event: LoggedEvent, by step: Step) {
        add(event.topicName, by: step)
        add(separator, by: step)
        add(event.body, by: step)
    }

    private mutating func add(_ bytes: [UInt8], by step: Step) {
        bytes.withUnsafeBytes { bytes in
            var value = value
            var index = 0
            // Not `for`: iterators are slow in a debug build, and every start runs this over all old events.
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
