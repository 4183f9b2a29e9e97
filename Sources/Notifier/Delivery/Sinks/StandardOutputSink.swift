import Concurrency
import Dispatch
import FoundationEssentials
import Glibc
import ServiceRuntime
import Text

/// The notifier's standard output: messages as text, for a terminal or a pipe.
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
