import EventStoreTestSupport
import Foundation
import TestSupport

/// `Examples/subscription.py`, run by Debian's own Python, which has its own ZeroMQ.
final class PythonSubscriber: Sendable {
    // Both are set once; the pipe is read by one reader after the other.
    private let process: Process
    private let output: FileHandle

    /// Starts it as a client of a harness, or of harnesses with its ports at several hosts.
    init(_ harness: PublisherHarness, hosts: String = "", _ arguments: [String]) throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Examples/subscription.py")
        (process, output) = try startPython(
            [script.path] + arguments,
            environment: [
                "MARQUEE_EVENTS": harness.events, "MARQUEE_COMMANDS": harness.commands, "MARQUEE_WORKERS": hosts,
            ])
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Sends a signal.
    func signal(_ number: Int32) {
        kill(process.processIdentifier, number)
    }

    /// Waits for the next piece of output, at least a line in a quiet moment.
    func piece() async -> String {
        await blocking { [output] in String(decoding: output.availableData, as: UTF8.self) }
    }

    /// Waits for all that is still to come.
    func rest() async -> String {
        await blocking { [output] in String(decoding: output.readDataToEndOfFile(), as: UTF8.self) }
    }
}

/// The events' numbers in the lines that it prints.
func numbers(in output: String) -> [UInt64] {
    output.split(separator: "\n").compactMap { $0.split(separator: " ").last.flatMap { UInt64($0) } }
}
