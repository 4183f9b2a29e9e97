public import Foundation

/// A Python program in `Tests/Counterparts`, such as a mail server, whose output a test reads line by line.
///
/// The first line of its output is its port. The program ends with the last reference to this object.
public final class Counterpart: Sendable {
    /// The port on which it listens.
    public let port: Int
    private let process: Process
    private let output: FileHandle
    private let rest = Monitor<[UInt8]>([])

    /// Starts a program, and waits until it listens.
    ///
    /// - Throws: `StartError` if its first line is not a port.
    public init(
        _ name: String, _ arguments: [String] = [], environment: [String: String] = [:]
    ) async throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Counterparts")
        (process, output) = try startPython(
            ["-u", folder.appending(path: name).standardized.path] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { _, new in new })
        guard let line = await Self.line(from: output, rest), let port = Int(line) else {
            process.terminate()
            throw StartError(name: name)
        }
        self.port = port
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Kills the program and blocks until it has ended. Its output can still be read.
    public func end() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Returns the next line of its output; nil if it has ended.
    public func line() async -> String? {
        await Self.line(from: output, rest)
    }

    /// The error of a program that ended without printing its port.
    public struct StartError: Error {
        /// The name of the program.
        public let name: String
    }

    private static func line(from output: FileHandle, _ rest: Monitor<[UInt8]>) async -> String? {
        await blocking { readLine(from: output, rest) }
    }

    private static func readLine(from output: FileHandle, _ rest: Monitor<[UInt8]>) -> String? {
        var bytes = rest.withLock { $0 }
        while true {
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                let (line, later) = (Array(bytes[..<end]), Array(bytes[(end + 1)...]))
                rest.withLock { $0 = later }
                return String(decoding: line, as: UTF8.self)
            }
            let piece = output.availableData
            if piece.isEmpty { return nil }
            bytes += piece
        }
    }
}

/// A lock held while a child process and its pipes are made: otherwise a second child would inherit the pipes of the first
/// and keep them open.
///
/// It has a value because the thread sanitizer reports a lock without one at the address of the next variable.
public let childStart: Monitor<Bool> = {
    // Writing to a program that has ended must not end this process.
    signal(SIGPIPE, SIG_IGN)
    return Monitor(false)
}()

/// Starts Debian's Python, without input, and returns the process and its output.
public func startPython(
    _ arguments: [String], environment: [String: String]
) throws -> (process: Process, output: FileHandle) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = arguments
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    return try childStart.withLock { _ in
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        return (process, pipe.fileHandleForReading)
    }
}

/// Calls `body`, which may block, outside of the cooperative pool.
public func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: body()) }
    }
}
