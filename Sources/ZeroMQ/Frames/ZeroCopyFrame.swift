internal import CZMQ

/// Bytes that libzmq reads in place until it releases them, on a thread of its own.
///
/// A message for fifty slow subscribers is thus in memory once. The address is stable: the elements of an array move only
/// when the array is changed, and this one is a constant.
///
/// Copies of queued messages, and memory that another thread frees, took more time and memory than the sending itself.
final class ZeroCopyFrame: Sendable {
    /// The smallest frame that is not copied, in bytes.
    // Smaller frames are faster to copy: libzmq adds 40 bytes, and up to 120 bytes are freed without a lock. Above
    // `M_MXFAST` of mallopt(3), the thread that allocates and libzmq's that frees lock the same arena for each message.
    static let minimumBytes = 81

    private let bytes: [UInt8]
    private let reservation: ConnectionGuard.UnreadBytes.Reservation?

    private init(_ bytes: [UInt8], _ reservation: ConnectionGuard.UnreadBytes.Reservation?) {
        self.bytes = bytes
        self.reservation = reservation
    }

    /// Makes a libzmq message of these bytes with zmq_msg_init_data(3).
    ///
    /// Once the message is closed or sent, libzmq releases the bytes, and with them the reservation.
    static func message(
        of bytes: [UInt8], reservation: ConnectionGuard.UnreadBytes.Reservation?
    ) -> zmq_msg_t {
        let frame = ZeroCopyFrame(bytes, reservation)
        var message = zmq_msg_t()
        let status = frame.bytes.withUnsafeBytes { bytes in
            zmq_msg_init_data(
                &message, UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count,
                { _, frame in if let frame { Unmanaged<ZeroCopyFrame>.fromOpaque(frame).release() } },
                Unmanaged.passRetained(frame).toOpaque())
        }
        precondition(status == 0, "zmq_msg_init_data: out of memory")
        return message
    }
}
