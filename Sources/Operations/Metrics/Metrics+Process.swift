public import FoundationEssentials
import Glibc

extension Metrics {
    /// Adds what Linux knows of the process, under the names that all programs use, and which marquee it is.
    public func addProcess(startedAt start: Date) {
        gauges("marquee_build_info", "The version that runs.", by: "version") { [version: 1] }
        gauge("process_start_time_seconds", "When the process started, in seconds since 1970.") {
            start.timeIntervalSince1970
        }
        gauge("process_resident_memory_bytes", "The memory that the process holds.") { residentMemory() }
        gauge("process_open_fds", "The files and sockets that the process has open.") { openFiles() }
        gauge("process_max_fds", "How many files and sockets the process may have open.") {
            Double(OpenFileLimit.current)
        }
    }
}

/// The resident set in bytes: the second number in `/proc/self/statm` (proc(5)), which counts pages.
private func residentMemory() -> Double? {
    guard let file = fopen("/proc/self/statm", "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, Int32(line.count), file) != nil else { return nil }
    let numbers = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
        separator: " ")
    return numbers.dropFirst().first.flatMap { Double($0) }.map { $0 * Double(sysconf(Int32(_SC_PAGESIZE))) }
}

/// The entries of `/proc/self/fd`, without the one that reading them takes.
private func openFiles() -> Double? {
    guard let folder = opendir("/proc/self/fd") else { return nil }
    defer { closedir(folder) }
    var count = 0
    while let entry = readdir(folder) {
        if entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) { count += 1 }
    }
    return Double(count - 1)
}
