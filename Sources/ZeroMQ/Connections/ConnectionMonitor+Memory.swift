internal import CLibc
internal import Glibc

/// What bounds frames without content: bytes on the wire do not, because 2 of them become 64 in libzmq.
///
/// See docs/decisions/libzmq-and-strangers.md.
extension ConnectionMonitor {
    /// The undelivered bytes that all clients together may have although the process has little memory left: 8 MB in libzmq.
    private static let harmlessBytes = 256 << 10
    /// How long after the last client was disconnected free memory is returned to the kernel.
    private static let trimDelay = Duration.seconds(1)

    /// When `checkMemory(at:)` is to be called; nil if there is no reason to.
    var nextMemoryCheck: MonotonicTime? {
        guard let pressure, !connections.isEmpty else { return pressure?.trimTime }
        return min(pressure.nextCheck, pressure.trimTime ?? pressure.nextCheck)
    }

    /// Drops the clients that have sent most without the end of it, if the process has little memory left.
    func checkMemory(at now: MonotonicTime) {
        if let trimTime = pressure?.trimTime, trimTime <= now {
            // The frames were many small pieces, which the allocator would keep.
            malloc_trim(0)
            pressure?.trimTime = nil
        }
        guard let nextCheck = pressure?.nextCheck, nextCheck <= now, pressure?.isHigh(at: now) == true else { return }
        for connection in connections.values { connection.measure() }
        dropLargest(.endless, over: Self.harmlessBytes, discardingReceived: true) { $0.undeliveredBytes }
        if takeHasDropped() { pressure?.trimTime = now + Self.trimDelay }
    }
}
