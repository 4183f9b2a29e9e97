internal import Glibc

/// Watches how much memory the process has left: seldom while there is much, often while there is little.
///
/// It says only whether the process is above a limit, not what fills the memory.
struct MemoryPressure {
    /// More than the fastest client makes libzmq's memory grow in a second, in bytes; measured are 700 MB.
    private static let fastestGrowth = Double(1 << 30)
    /// The limits of the time between two checks.
    private static let intervals = Duration.milliseconds(5)...Duration.milliseconds(100)

    /// The resident memory of the process above which the pressure is high, in bytes.
    let limit: Int
    /// When the memory is to be checked again.
    private(set) var nextCheck = MonotonicTime.now
    /// When freed memory is to be returned to the kernel; nil if none was freed.
    var trimTime: MonotonicTime?

    init(limit: Int) {
        self.limit = limit
    }

    /// Returns whether the process has more memory than the limit, and sets the time of the next check.
    ///
    /// - Parameter resident: The resident memory of the process, in bytes.
    mutating func isHigh(at now: MonotonicTime, resident: Int = residentBytes()) -> Bool {
        let growthTime = Duration.seconds(Double(limit - resident) / Self.fastestGrowth)
        nextCheck = now + max(Self.intervals.lowerBound, min(growthTime, Self.intervals.upperBound))
        return resident > limit
    }
}

/// Returns the resident memory of the process in bytes, from `/proc/self/statm` (proc(5)); 0 if it cannot be read.
private func residentBytes() -> Int {
    let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return 0 }
    defer { close(file) }
    var text = [UInt8](repeating: 0, count: 128)
    let count = read(file, &text, text.count)
    // The second number, in pages.
    let numbers = text.prefix(max(0, count)).split(separator: UInt8(ascii: " "), maxSplits: 2)
    guard numbers.count > 1 else { return 0 }
    return numbers[1].reduce(0) { $0 * 10 + Int($1 &- UInt8(ascii: "0")) } * sysconf(Int32(_SC_PAGESIZE))
}
