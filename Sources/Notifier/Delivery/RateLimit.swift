import FoundationEssentials

/// How many letters a sink takes in a span of time.
struct RateLimit: Hashable, Sendable {
    /// How many.
    let count: Int
    /// In which time.
    let span: Duration

    /// Reads `20/1m`: a count from 1, and a span as `Duration(span:)` reads it.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(parts[0]), count > 0, let span = Duration(span: parts[1]) else {
            return nil
        }
        self.count = count
        self.span = span
    }

    /// When there is room for one more letter after those of these times, newest first; nil if there is now.
    ///
    /// What is later than now is from before the clock was set back, and counts as none.
    func room(after sent: [Date], at now: Date) -> Date? {
        let recent = sent.filter { $0 <= now && $0 + span.seconds > now }
        return recent.count < count ? nil : recent[count - 1] + span.seconds
    }
}
