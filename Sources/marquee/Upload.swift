import Contract
import FoundationEssentials
import Glibc
import Operations

/// The files that go along with a request, and how far they have come, told on standard error where a person looks.
///
/// See docs/decisions/0031-upload-progress.md.
struct Upload: Sendable {
    private let isSeen = isatty(STDERR_FILENO) == 1
    private let clock = Stopwatch(ContinuousClock())

    /// Reads an image.
    func image(at path: String) throws(UsageError) -> [UInt8] {
        let bytes = try Self.bytes(at: path, limit: RequestFrames.imageLimit)
        tell("\(path): \(Self.size(bytes.count))")
        return bytes
    }

    /// Reads a secret: the file's first line.
    static func secret(at path: String) throws(UsageError) -> String {
        let line = try bytes(at: path, limit: 4_096).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard let secret = String(validating: line, as: UTF8.self), !secret.isEmpty else {
            throw UsageError("\(path) holds no secret")
        }
        return secret
    }

    /// The images are on their way to the worker.
    func send(_ images: [[UInt8]]) {
        guard !images.isEmpty else { return }
        tell("\(images.count) images, \(Self.size(images.reduce(0) { $0 + $1.count })): on their way to the worker")
    }

    /// The worker has them on disk.
    var arrived: @Sendable () -> Void {
        { [self] in tell("the worker has it, after \(clock.elapsed.formatted); it goes on to the market") }
    }

    private func tell(_ line: String) {
        if isSeen { Console.complain(TerminalColor.dim.paint(line)) }
    }

    private static func bytes(at path: String, limit: Int) throws(UsageError) -> [UInt8] {
        // Looked at before it is read: a device or a film would fill the memory.
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw UsageError("\(path) is no file that can be read")
        }
        guard status.st_size <= limit else {
            throw UsageError("\(path) has \(size(Int(status.st_size))); at most \(size(limit)) are taken")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw UsageError("\(path) is no file that can be read")
        }
        return Array(data)
    }

    private static func size(_ bytes: Int) -> String {
        bytes < 1 << 20 ? "\((bytes + 1_023) >> 10) KiB" : "\(bytes >> 20).\((bytes & 0xF_FFFF) * 10 >> 20) MiB"
    }
}

extension Duration {
    /// The duration in seconds with one decimal.
    fileprivate var formatted: String {
        let tenths = components.seconds * 10 + components.attoseconds / 100_000_000_000_000_000
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
