import Concurrency
import Dispatch
import FoundationEssentials
import Glibc
import ServiceRuntime
import Text

/// A file with one line of JSON for each event, opened for each message: other programs may append to it or move it away.
struct FileSink: Sink {
    static let kind = "file"
    static let keys = ["path"]

    let path: String
    private let queue = DispatchQueue(label: "marquee.file-sink")

    init?(_ fields: inout SinkFields) {
        guard let path = fields.path("path") else { return nil }
        self.path = path
    }

    func address(in language: Language) -> String { path }

    func send(_ message: SinkMessage, at now: Date, by clients: SinkClients) async -> SinkResponse {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: append(message)) }
        }
    }

    private func append(_ message: SinkMessage) -> SinkResponse {
        let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return failure("open") }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        // A process that was killed while writing may have left an incomplete line.
        var last = UInt8(ascii: "\n")
        let lineIsOpen = size > 0 && pread(descriptor, &last, 1, size - 1) == 1 && last != UInt8(ascii: "\n")
        let lines = message.alerts.flatMap { $0.body + [UInt8(ascii: "\n")] }
        let bytes = lineIsOpen ? [UInt8(ascii: "\n")] + lines : lines
        let count = write(descriptor, bytes, bytes.count)
        guard count == bytes.count else {
            let response = failure("write")
            // The next attempt writes the whole message.
            if size >= 0, count > 0 { _ = ftruncate(descriptor, size) }
            return response
        }
        // The file may be new, or the notifier may have died while it was.
        guard fsync(descriptor) == 0, DurableNames.synchronizeFolder(of: path) else { return failure("write") }
        return SinkResponse(outcome: .delivered, text: "\(bytes.count) bytes written")
    }

    private func failure(_ action: String) -> SinkResponse {
        SinkResponse(outcome: .failed(), text: "cannot \(action) \(path): \(String(cString: strerror(errno)))")
    }
}

struct StandardOutputSink: Sink {
    static let kind = "standardOutput"
    static let keys: [String] = []

    // A full pipe blocks. On a queue of its own, it blocks only this sink.
    private static let queue = DispatchQueue(label: "marquee.standard-output")

    init(_ fields: inout SinkFields) {}

    func address(in language: Language) -> String { "-" }

    func send(_ message: SinkMessage, at now: Date, by clients: SinkClients) async -> SinkResponse {
        let text = message.text(limit: .max, link: message.link).escapedForTerminal() + "\n"
        return await withCheckedContinuation { continuation in
            Self.queue.async { continuation.resume(returning: Self.write(text)) }
        }
    }

    private static func write(_ text: String) -> SinkResponse {
        do {
            try writeAll(Array(text.utf8), to: STDOUT_FILENO)
            return SinkResponse(outcome: .delivered, text: "written")
        } catch {
            return SinkResponse(outcome: .failed(), text: String(cString: strerror(error.code)))
        }
    }
}
