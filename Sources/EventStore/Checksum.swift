import CXXHash
import Storage

/// A 64-bit checksum of an event's topic and body: XXH3, from libxxhash. It detects damage, not forgery.
///
/// See docs/decisions/event-log-integrity.md.
struct Checksum: Hashable, Sendable {
    let value: UInt64

    /// Computes the checksum of the event's topic, a zero byte and its body.
    init(of event: LoggedEvent) {
        // Allocated by the library, because the state must be aligned to 64 bytes.
        guard let state = XXH3_createState() else { preconditionFailure("out of memory") }
        defer { XXH3_freeState(state) }
        XXH3_64bits_reset(state)
        for part in [event.topicName, [0], event.body] { XXH3_64bits_update(state, part, part.count) }
        value = XXH3_64bits_digest(state)
    }
}

extension Checksum: Storable {
    var stored: StoredValue { .integer(Int64(bitPattern: value)) }

    init?(stored: StoredValue) {
        guard case .integer(let bits) = stored else { return nil }
        value = UInt64(bitPattern: bits)
    }
}
