import FoundationEssentials
import Text

/// Where letters go: it makes what the other side understands of one, hands it over once, and judges what comes back.
protocol Sink: Sendable {
    /// What nobody may see of it, wherever an answer echoes it.
    var secrets: [String] { get }

    /// Hands a letter over; returns within a minute, and at once when the task is cancelled.
    func send(_ letter: SinkMessage, at now: Date) async -> SinkResponse
}

/// How it went when a letter was handed over.
struct SinkResponse: Hashable, Sendable {
    /// What the answer means for the letter.
    enum Outcome: Hashable, Sendable {
        /// The other side has it.
        case taken
        /// The other side does not want it, and would not want it again.
        case refused
        /// It may go better later, not before the time that was asked for.
        case failed(retryAfter: Duration? = nil)
    }

    /// What it means.
    let verdict: Outcome
    /// What the other side said, or why it said nothing, in a line for people.
    let text: String
}

extension SinkResponse {
    /// How much of an answer is kept.
    private static let limit = 500

    /// The answer with its text on one line, not too long, and with nothing in it that nobody may see.
    func fit(without secrets: [String]) -> SinkResponse {
        var line = Redactor(secrets).redact(text)
        line = String(
            String.UnicodeScalarView(line.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
        return SinkResponse(
            verdict: verdict, text: line.count > Self.limit ? line.prefix(Self.limit) + "…" : line)
    }
}
