import EventStoreTestSupport
import Foundation
import TestSupport

/// `Examples/subscription.py`, run by Debian's own Python, which has its own ZeroMQ.
final class PythonSubscriber: Sendable {
    // Both are set once; the pipe is read by one reader after the other.
    private let process: Process
    private let output: FileHandle

    /// Starts it as a client of a harness.
    init(_ harness: PublisherHarness, _ arguments: [String]) throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Examples/subscription.py")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [script.path] + arguments
        process.environment = ["MARQUEE_EVENTS": harness.events, "MARQUEE_COMMANDS": harness.commands]
        process.standardInput = FileHandle.nullDevice
        output = try childStart.withLock { _ in
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            return pipe.fileHandleForReading
        }
        self.process = process
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
        await read { $0.availableData }
    }

    /// Waits for all that is still to come.
    func rest() async -> String {
        await read { $0.readDataToEndOfFile() }
    }

    private func read(_ body: @escaping @Sendable (FileHandle) -> Data) async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [output] in
                continuation.resume(returning: String(decoding: body(output), as: UTF8.self))
            }
        }
    }
}

/// The events' numbers in the lines that it prints.
func numbers(in output: String) -> [UInt64] {
    output.split(separator: "\n").compactMap { $0.split(separator: " ").last.flatMap { UInt64($0) } }
}
