import Contract
import FoundationEssentials
import Glibc
import ServiceRuntime
import Text

/// Reads the files that a request attaches, and shows the progress on standard error if that is a terminal.
///
/// Stages, no percent: the slow part is the way to the worker, and the longest file takes seconds.
struct Upload: Sendable {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let stopwatch = Stopwatch(ContinuousClock())

    /// Reads an image file.
    ///
    /// - Throws: `UsageError` if it is not a readable file or is too large.
    func image(at path: String) throws(UsageError) -> [UInt8] {
        let bytes = try Self.bytes(at: path, limit: RequestFrames.imageLimit)
        show("\(path): \(Self.size(bytes.count))")
        return bytes
    }

    /// Reads a secret from the first line of a file.
    ///
    /// - Throws: `UsageError` if it is not a readable file or the line is empty.
    static func secret(at path: String) throws(UsageError) -> String {
        let line = try bytes(at: path, limit: 4_096).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard let secret = String(validating: line, as: UTF8.self), !secret.isEmpty else {
            throw UsageError("\(path)의 첫 줄에 암호가 없습니다", "\(path) has no secret in its first line")
        }
        return secret
    }

    /// Shows that the images are being sent.
    func showStart(_ images: [[UInt8]]) {
        guard !images.isEmpty else { return }
        let size = Self.size(images.reduce(0) { $0 + $1.count })
        show(
            Language.current(
                "사진 \(images.count)장(\(size))을 수집 서버로 보내는 중", "sending \(images.count) images, \(size), to the worker")
        )
    }

    /// Shows that the worker has stored the request.
    var showReceipt: @Sendable () -> Void {
        { [self] in
            show(
                Language.current(
                    "수집 서버에 접수됨(\(stopwatch.elapsed.formatted)), 오픈마켓으로 전송 중",
                    "stored by the worker after \(stopwatch.elapsed.formatted); sending it to the market"))
        }
    }

    private func show(_ line: String) {
        if isTerminal { Console.printError(TerminalColor.dim.paint(line)) }
    }

    private static func bytes(at path: String, limit: Int) throws(UsageError) -> [UInt8] {
        // Checked before reading: a device or a very large file would exhaust the memory.
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw UsageError("\(path) 파일을 읽을 수 없습니다", "\(path) is not a readable file")
        }
        guard status.st_size <= limit else {
            let size = size(Int(status.st_size))
            throw UsageError(
                "\(path)의 크기가 \(size)입니다. \(Self.size(limit)) 이하여야 합니다",
                "\(path) has \(size); the limit is \(Self.size(limit))")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw UsageError("\(path) 파일을 읽을 수 없습니다", "\(path) is not a readable file")
        }
        return Array(data)
    }

    private static func size(_ bytes: Int) -> String {
        let (number, unit) =
            bytes < 1 << 20
            ? ("\((bytes + 1_023) >> 10)", "KB") : ("\(bytes >> 20).\((bytes & 0xF_FFFF) * 10 >> 20)", "MB")
        return Language.current("\(number)\(unit)", "\(number) \(unit)")
    }
}

extension Duration {
    /// The duration in seconds, with one decimal.
    fileprivate var formatted: String {
        let tenths = components.seconds * 10 + components.attoseconds / 100_000_000_000_000_000
        let seconds = "\(tenths / 10).\(tenths % 10)"
        return Language.current("\(seconds)초", "\(seconds) s")
    }
}
