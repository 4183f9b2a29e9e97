public import FoundationEssentials

/// The text of an instant on the wire: RFC 3339 in UTC with milliseconds, `2026-11-21T06:23:00.123Z`.
public enum Timestamp {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// The instant, to the nearest millisecond.
    public static func text(_ instant: Date) -> String {
        // The style cuts what is below a millisecond off; half of one more makes it round.
        let milliseconds = (instant.timeIntervalSince1970 * 1000).rounded()
        return Date(timeIntervalSince1970: (milliseconds + 0.5) / 1000).formatted(style)
    }

    /// The instant that a text stands for, or nil if it is not one.
    static func instant(_ text: String) -> Date? {
        guard let parsed = try? style.parse(text) else { return nil }  // the error says no more than nil does
        return Date(timeIntervalSince1970: (parsed.timeIntervalSince1970 * 1000).rounded() / 1000)
    }
}
