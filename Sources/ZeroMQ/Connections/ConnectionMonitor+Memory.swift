internal import CLibc
internal import Glibc

/// What bounds frames without content: bytes on the wire do not, because 2 of them become 64 in libzmq.
///
/// See docs/decisions/0073-frames-without-content.md.
extension ConnectionMonitor {
    /// The undelivered bytes up to which a client may stay connected although the process has little memory left.
    private static let harmlessBytes = 256 << 10
    /// How long after the last client was disconnected free memory is returned to the kernel.
    private static let trimDelay = Duration.seconds(1)

    /// When `checkMemory(at:)` is to be called; nil if there is no reason to.
    var nextMemoryCheck: MonotonicTime? {
        guard let pressure, !connections.isEmpty else { return pressure?.trimTime }
        return min(pressure.nextCheck, pressure.trimTime ?? pressure.nextCheck)
    }

    /// Drops all clients that have sent much and not the end of it, if the process has little memory left.
    func checkMemory(at now: MonotonicTime) {
        if let trimTime = pressure?.trimTime, trimTime <= now {
            // The frames were many small pieces, which the allocator would keep.
            malloc_trim(0)
            pressure?.trimTime = nil
        }
        guard let nextCheck = pressure?.nextCheck, nextCheck <= now, pressure?.isHigh(at: now) == true else { return }
        for connection in connections.values {
            connection.measure()
            guard connection.undeliveredBytes > Self.harmlessBytes else { continue }
            drop(connection, .endless, discardingReceived: true)
            pressure?.trimTime = now + Self.trimDelay
        }
    }
}
