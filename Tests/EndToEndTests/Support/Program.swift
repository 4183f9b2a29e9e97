import Concurrency
import Foundation
import TestSupport

/// A child process; tests can wait for lines of its output.
///
/// Cancelling a task that waits for a program kills the program, so that a test that times out leaves none behind.
final class Program: Sendable {
    /// The exit status of a program and its output.
    struct Ending: Sendable {
        /// The exit status, or the negative number of the signal that ended it.
        let status: Int32
        let output: [String]
        let errors: [String]
    }

    private let process: Process
    private let input: FileHandle
    private let output: OutputLines
    private let errors: OutputLines

    /// Starts `path` with the fixed clock, `environment`, and only `PATH`, `HOME` and `LANG` of this process.
    init(
        _ path: String, _ arguments: [String] = [], environment: [String: String] = [:], in folder: String? = nil
    ) throws {
        let inherited = ProcessInfo.processInfo.environment.filter { ["PATH", "HOME", "LANG"].contains($0.key) }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = try inherited.merging(FixedClock.environment) { $1 }.merging(environment) { $1 }
        if let folder { process.currentDirectoryURL = URL(filePath: folder) }
        (input, output, errors) = try childStart.withLock { _ in
            let (input, output, errors) = (Pipe(), Pipe(), Pipe())
            process.standardInput = input
            process.standardOutput = output
            process.standardError = errors
            try process.run()
            return (
                input.fileHandleForWriting, OutputLines(output.fileHandleForReading),
                OutputLines(errors.fileHandleForReading)
            )
        }
        self.process = process
    }

    deinit {
        signal(SIGKILL)
    }

    /// The process that this one started as `marquee ROLE`.
    func child(_ role: String) throws -> pid_t? {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }.first { candidate in
            // A process may end while /proc is read.
            let status = (try? String(contentsOfFile: "/proc/\(candidate)/status", encoding: .utf8)) ?? ""
            let words = (try? String(contentsOfFile: "/proc/\(candidate)/cmdline", encoding: .utf8)) ?? ""
            return status.contains("\nPPid:\t\(process.processIdentifier)\n")
                && words.split(separator: "\0").dropFirst().first == role[...]
        }
    }

    /// Sends a signal, unless the program has ended.
    func signal(_ number: Int32) {
        if process.isRunning { kill(process.processIdentifier, number) }
    }

    /// Writes `text` to the standard input.
    func type(_ text: String) throws {
        try input.write(contentsOf: Data(text.utf8))
    }

    /// Returns the first non-nil result of `match` for a line of standard output, past or future; nil if the program ends
    /// without one.
    func output<Value>(_ match: (String) -> Value?) async -> Value? {
        await orKilled { await output.first(match) }
    }

    /// Returns the first line of standard error, past or future, that contains `text`; nil if the program ends without one.
    func error(containing text: String) async -> String? {
        await orKilled { await errors.first { $0.contains(text) ? $0 : nil } }
    }

    /// The output so far.
    var written: (output: [String], errors: [String]) { (output.all, errors.all) }

    /// Waits until the program has ended and its output is read.
    func ended() async -> Ending {
        await orKilled {
            await output.end()
            await errors.end()
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async { [process] in
                    process.waitUntilExit()
                    continuation.resume()
                }
            }
        }
        let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        return Ending(status: status, output: output.all, errors: errors.all)
    }

    /// Closes its standard input, and waits until it has ended.
    func finish() async throws -> Ending {
        try input.close()
        return await ended()
    }

    /// Runs a program until it ends.
    static func run(
        _ path: String, _ arguments: [String] = [], environment: [String: String] = [:], in folder: String? = nil
    ) async throws -> Ending {
        try await Program(path, arguments, environment: environment, in: folder).finish()
    }

    /// Starts a program on a terminal of its own; standard error is among its output.
    static func onTerminal(_ words: [String], environment: [String: String]) async throws -> Program {
        try await requireTerminal()
        let run = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
        return try Program(ProcessHarness.python, ["-c", run] + words, environment: environment)
    }

    /// Throws in words if this machine has no pseudo-terminals, as in a chroot without devpts.
    static func requireTerminal() async throws {
        try await require(
            "pseudo-terminal (devpts at /dev/pts)", by: [ProcessHarness.python, "-c", "import os; os.openpty()"])
    }

    /// Throws in words that this machine lacks something if a command fails that needs no more than that.
    static func require(_ what: String, by words: [String]) async throws {
        let probe = try await run(words[0], Array(words.dropFirst()))
        guard probe.status == 0 else { throw MissingError(what: what, told: probe.errors.last ?? "") }
    }

    private struct MissingError: Error, CustomStringConvertible {
        let what: String
        let told: String

        var description: String { "this test cannot be run, because the machine gives it no \(what): \(told)" }
    }

    private func orKilled<Value>(_ wait: () async -> Value) async -> Value {
        await withTaskCancellationHandler(operation: wait) { signal(SIGKILL) }
    }
}

/// Collects the lines of a pipe on its own thread, for any number of waiting tasks.
final class OutputLines: Sendable {
    private struct State {
        var lines: [String] = []
        var isEnded = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// Starts to read, until the last writer has closed the pipe.
    init(_ handle: FileHandle) {
        let thread = Thread { [self] in
            var rest = Data()
            while case let data = handle.availableData, !data.isEmpty {
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    add(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[rest.index(after: end)...])
                }
            }
            if !rest.isEmpty { add(String(decoding: rest, as: UTF8.self)) }
            change { $0.isEnded = true }
        }
        thread.start()
    }

    /// The lines so far.
    var all: [String] { state.withLock { $0.lines } }

    /// Returns the first non-nil result of `match` for a line, past or future; nil if the pipe ends without one.
    func first<Value>(_ match: (String) -> Value?) async -> Value? {
        var next = 0
        while true {
            let (fresh, isEnded) = state.withLock { state in
                defer { next = state.lines.count }
                return (Array(state.lines[next...]), state.isEnded)
            }
            for line in fresh {
                if let value = match(line) { return value }
            }
            if isEnded { return nil }
            await changed(after: next)
        }
    }

    /// Waits until the pipe is closed.
    func end() async {
        _ = await first { _ -> Never? in nil }
    }

    private func add(_ line: String) {
        change { $0.lines.append(line) }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiting = state.withLock { state in
            body(&state)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    private func changed(after count: Int) async {
        await withCheckedContinuation { continuation in
            let isNew = state.withLock { state in
                let isNew = state.lines.count != count || state.isEnded
                if !isNew { state.waiting.append(continuation) }
                return isNew
            }
            if isNew { continuation.resume() }
        }
    }
}
