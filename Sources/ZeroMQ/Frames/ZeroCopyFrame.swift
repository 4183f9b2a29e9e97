internal import CZMQ

/// Bytes that libzmq reads where they are until it gives them back, on a thread of its own.
///
/// What waits for fifty slow subscribers is in memory once, as the event that it was before. The address stays: an array's
/// elements move only when it is changed, and this one is held as a constant.
///
/// See docs/decisions/0039-zero-copy-frames.md.
final class ZeroCopyFrame: Sendable {
    /// Smaller frames are quicker to copy: libzmq puts 40 bytes before them, and up to 120 are freed without a lock.
    ///
    /// The thread that sends takes the memory and libzmq's gives it back; above `M_MXFAST` of mallopt(3) both need the lock
    /// of one arena, for each message.
    static let leastBytes = 81

    private let bytes: [UInt8]
    private let charge: UnreadByteAccounting.Reservation?

    private init(_ bytes: [UInt8], _ charge: UnreadByteAccounting.Reservation?) {
        self.bytes = bytes
        self.charge = charge
    }

    /// A message of these bytes, with zmq_msg_init_data(3); closed or sent, it gives them back in the end, and the charge.
    static func message(of bytes: [UInt8], charge: UnreadByteAccounting.Reservation?) -> zmq_msg_t {
        let loan = ZeroCopyFrame(bytes, charge)
        var message = zmq_msg_t()
        let status = loan.bytes.withUnsafeBytes { bytes in
            zmq_msg_init_data(
                &message, UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count,
                { _, loan in if let loan { Unmanaged<ZeroCopyFrame>.fromOpaque(loan).release() } },
                Unmanaged.passRetained(loan).toOpaque())
        }
        precondition(status == 0, "zmq_msg_init_data: there is no memory")
        return message
    }
}
