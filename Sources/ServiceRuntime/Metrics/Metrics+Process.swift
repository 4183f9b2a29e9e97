public import FoundationEssentials
import Glibc

/// The version of marquee.
public let version = "0.1.0"

/// The process and its machine: `4711@server-1`.
public let processName = "\(ProcessInfo.processInfo.processIdentifier)@\(ProcessInfo.processInfo.hostName)"

extension Metrics {
    /// Adds the version, and the process metrics that Prometheus clients share, as read from Linux.
    ///
    /// - Parameter start: the time at which the process started.
    public func addProcess(startedAt start: Date) {
        gauges("marquee_build_info", "Version of marquee that is running, as a label; always 1.", by: "version") {
            [version: 1]
        }
        counter(
            "marquee_log_lines_dropped_total",
            "Log lines that were not written, because nobody read standard error or it cannot be written."
        ) { Double(LogWriter.standardError.dropped) }
        gauge("process_start_time_seconds", "Start time of the process, in seconds since 1970-01-01 UTC.") {
            start.timeIntervalSince1970
        }
        gauge("process_resident_memory_bytes", "Resident memory of the process.") { residentMemory() }
        gauge("process_open_fds", "Files and sockets that the process has open.") { openFiles() }
        gauge("process_max_fds", "Maximum number of files and sockets that the process can have open.") {
            Double(ProcessLimits.openFiles)
        }
    }
}

/// Returns the resident set size in bytes: the second number in `/proc/self/statm` (proc(5)), which is in pages.
private func residentMemory() -> Double? {
    // The gap in the metric shows that it cannot be read.
    let numbers = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return numbers?.dropFirst().first.flatMap { Double($0) }.map { $0 * Double(sysconf(Int32(_SC_PAGESIZE))) }
}

/// Returns the number of entries in `/proc/self/fd`, without the descriptor that reads them.
private func openFiles() -> Double? {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { Double($0.count - 1) }
}
