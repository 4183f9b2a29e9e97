import Concurrency
import Foundation

/// A run of a program, ours or another, whose lines can be waited for.
///
/// A test that runs out of time takes its programs with it: whoever waits for one and is cancelled kills it.
final class Program: Sendable {
    /// How a program ended, and what it wrote.
    struct Ending: Sendable {
        /// The exit status, or minus the signal that ended it.
        let status: Int32
        let output: [String]
        let errors: [String]
    }

    private let process: Process
    private let input = Pipe()
    private let output: OutputLines
    private let errors: OutputLines

    /// Starts `path` with nothing of our environment but what every program needs, and what `environment` adds.
    init(
        _ path: String, _ arguments: [String] = [], environment: [String: String] = [:], in folder: String? = nil
    ) throws {
        let inherited = ProcessInfo.processInfo.environment.filter { ["PATH", "HOME", "LANG"].contains($0.key) }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = inherited.merging(environment) { _, new in new }
        if let folder { process.currentDirectoryURL = URL(filePath: folder) }
        process.standardInput = input
        (output, errors) = try starting.withLock { _ in
            let (output, errors) = (Pipe(), Pipe())
            process.standardOutput = output
            process.standardError = errors
            try process.run()
            return (OutputLines(output.fileHandleForReading), OutputLines(errors.fileHandleForReading))
        }
        self.process = process
    }

    deinit {
        signal(SIGKILL)
    }

    /// Sends a signal, unless the program has ended.
    func signal(_ number: Int32) {
        if process.isRunning { kill(process.processIdentifier, number) }
    }

    /// Types a line, or whatever `text` is.
    func type(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    /// Waits for a line on standard output that `match` makes something of, also one that has come already; nil if the
    /// program ends without one.
    func output<Value>(_ match: (String) -> Value?) async -> Value? {
        await orKilled { await output.first(match) }
    }

    /// Waits for a line on standard error that holds `text`, also one that has come already; nil if the program ends
    /// without one.
    func error(containing text: String) async -> String? {
        await orKilled { await errors.first { $0.contains(text) ? $0 : nil } }
    }

    /// What it has written so far.
    var written: (output: [String], errors: [String]) { (output.all, errors.all) }

    /// Waits for the end.
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

    /// Closes its standard input, and waits for the end.
    func finish() async throws -> Ending {
        try input.fileHandleForWriting.close()
        return await ended()
    }

    /// Runs a program to its end.
    static func run(
        _ path: String, _ arguments: [String] = [], environment: [String: String] = [:], in folder: String? = nil
    ) async throws -> Ending {
        try await Program(path, arguments, environment: environment, in: folder).finish()
    }

    private func orKilled<Value>(_ wait: () async -> Value) async -> Value {
        await withTaskCancellationHandler(operation: wait) { signal(SIGKILL) }
    }
}

/// Held while a program starts: one that started meanwhile would inherit the other's pipes, and keep them open.
///
/// Not a lock around nothing: the thread sanitizer takes its place for that of what comes after it.
private let starting: Locked<Bool> = {
    // A program that ends while we type must not end us.
    signal(SIGPIPE, SIG_IGN)
    return Locked(false)
}()

/// Collects the lines of a pipe on a thread of its own, for any number of waiters.
final class OutputLines: Sendable {
    private struct State {
        var lines: [String] = []
        var isEnded = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// Reads until the last writer has closed the pipe.
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

    /// What has come so far.
    var all: [String] { state.withLock { $0.lines } }

    /// Waits for the first line that `match` makes something of, also one that has come already; nil if there is none.
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

    /// Waits for the end.
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
