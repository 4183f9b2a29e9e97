import Foundation
import Locking

/// A run of a program, ours or another, whose lines can be waited for.
final class Program: Sendable {
    /// What it wrote and how it ended.
    struct Ending: Sendable {
        let status: Int32
        let output: String
        let errors: String
    }

    private let process: Process
    private let output: LineReader
    private let errors: LineReader

    /// Starts `path` with nothing of our environment but PATH, and what `environment` adds.
    init(_ path: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        let inherited = ProcessInfo.processInfo.environment.filter { ["PATH", "HOME", "LANG"].contains($0.key) }
        process.environment = inherited.merging(environment) { _, new in new }
        process.standardInput = FileHandle.nullDevice
        let (out, err) = (Pipe(), Pipe())
        process.standardOutput = out
        process.standardError = err
        output = LineReader(out.fileHandleForReading)
        errors = LineReader(err.fileHandleForReading)
        try process.run()
        self.process = process
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// The process's number.
    var identifier: Int32 { process.processIdentifier }

    /// Sends a signal.
    func signal(_ number: Int32) {
        kill(process.processIdentifier, number)
    }

    /// Waits for a line on standard error that holds `text`, also one that has come already; nil if there is none.
    func errorLine(containing text: String) async -> String? {
        await errors.line(containing: text)
    }

    /// Waits for a line on standard output that holds `text`, also one that has come already; nil if there is none.
    func outputLine(containing text: String) async -> String? {
        await output.line(containing: text)
    }

    /// Waits for the end.
    func ended() async -> Ending {
        await output.end()
        await errors.end()
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [process] in
                process.waitUntilExit()
                continuation.resume()
            }
        }
        let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        return Ending(status: status, output: output.text, errors: errors.text)
    }

    /// Runs a program to its end.
    static func run(
        _ path: String, _ arguments: [String] = [], environment: [String: String] = [:]
    ) async throws -> Ending {
        try await Program(path, arguments, environment: environment).ended()
    }
}

/// Collects the lines of a pipe on a thread of its own, for any number of waiters.
private final class LineReader: Sendable {
    private struct State {
        var lines: [String] = []
        var isEnded = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

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

    var text: String { state.withLock { $0.lines.joined(separator: "\n") } }

    func line(containing text: String) async -> String? {
        var next = 0
        while true {
            let (fresh, isEnded) = state.withLock { state in
                defer { next = state.lines.count }
                return (Array(state.lines[next...]), state.isEnded)
            }
            if let line = fresh.first(where: { $0.contains(text) }) { return line }
            if isEnded { return nil }
            await changed(after: next)
        }
    }

    func end() async {
        while !state.withLock({ $0.isEnded }) { await changed(after: state.withLock { $0.lines.count }) }
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
                if state.lines.count == count, !state.isEnded { state.waiting.append(continuation) }
                return state.lines.count != count || state.isEnded
            }
            if isNew { continuation.resume() }
        }
    }
}
