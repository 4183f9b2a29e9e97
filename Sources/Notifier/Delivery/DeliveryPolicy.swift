import BoxOffice
import FoundationEssentials
import Networking

/// When a sink gets which messages, in the order of their alerts: a pure state machine without clock and disk.
struct DeliveryPolicy: Hashable, Sendable {
    static let maximumAlertsPerMessage = 500

    struct WaitingAlert: Hashable, Sendable {
        /// The delivery's row; rows are in the order of the alerts.
        var number: Int
        var alert: String
        var queuedAt: Date
        /// The key of the message that it is part of; nil before the first attempt.
        var messageKey: String?
        var attempts = 0
        var dueAt: Date?
    }

    struct SendHistory: Hashable, Sendable {
        /// The times of recent attempts, newest first.
        var attempts: [Date] = []
        /// The day of the last digest that was attempted.
        var lastDigest: KoreanDate?
    }

    enum Step: Hashable, Sendable {
        case send(key: String, [WaitingAlert])
        /// Nothing until then, unless a new alert comes.
        case wait(until: Date)
        case idle
    }

    var sink: String
    var quietHours: QuietHours?
    /// When the alerts of a day are sent in one message; nil to send each alert when it comes.
    var digest: TimeOfDay?
    var rate: RateLimit?

    /// The prefix of the keys of the sink's digests; the digest's day follows.
    var digestPrefix: String { "digest.\(sink)." }

    func nextStep(_ waiting: [WaitingAlert], _ history: SendHistory, at now: Date) -> Step {
        guard let first = waiting.first else { return .idle }
        if let end = quietHours?.end(at: now) { return .wait(until: end) }
        // A longer pause than the longest was computed before the system clock was set back.
        if let due = first.dueAt, (now...now + Duration.longestRetryAfter.seconds).contains(due), due > now {
            return .wait(until: due)
        }
        if first.messageKey == nil, let digest {
            let day = self.day(of: first, digest, history)
            guard digest.on(day) <= now else { return .wait(until: digest.on(day)) }
        }
        if let slot = rate?.nextSlot(after: history.attempts, at: now) { return .wait(until: slot) }
        if let key = first.messageKey { return .send(key: key, waiting.filter { $0.messageKey == key }) }
        guard let digest else { return .send(key: first.alert, [first]) }
        let day = self.day(of: first, digest, history)
        let together = waiting.prefix { $0.messageKey == nil && self.day(of: $0, digest, history) == day }
        return .send(key: "\(digestPrefix)\(day)", Array(together.prefix(Self.maximumAlertsPerMessage)))
    }

    private func day(of waiting: WaitingAlert, _ digest: TimeOfDay, _ history: SendHistory) -> KoreanDate {
        let day = digest.firstDay(after: waiting.queuedAt)
        // Never a digest that was attempted: a repeated message must be the same.
        return history.lastDigest.map { max(day, $0 + 1) } ?? day
    }
}

// MARK: - Limits

struct RateLimit: Hashable, Sendable {
    let count: Int
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

    /// Returns when one more message may be sent after these, newest first; nil if it may be sent now. Times after `now` do not
    /// count: the system clock was set back since.
    func nextSlot(after sent: [Date], at now: Date) -> Date? {
        let recent = sent.filter { $0 <= now && $0 + span.seconds > now }
        return recent.count < count ? nil : recent[count - 1] + span.seconds
    }
}

/// When a message that failed is sent again, and when it is given up.
struct Backoff: Hashable, Sendable {
    var attempts = 20
    /// The longest pause after the first attempt; it doubles with each further attempt.
    var base = Duration.seconds(5)
    var cap = Duration.seconds(3_600)

    /// Returns the pause after this number of attempts; nil after the last attempt.
    /// The pause is random between half of its value and the whole, and not shorter than the sink asks for, up to a day.
    func pause(after attempts: Int, retryAfter: Duration?, fraction: Double) -> Duration? {
        guard attempts < self.attempts else { return nil }
        let doublings = min(max(0, attempts - 1), 30)
        let whole = min(cap, base * (1 << doublings))
        return min(max(whole * (0.5 + fraction / 2), retryAfter ?? .zero), .longestRetryAfter)
    }
}

// MARK: - Times

/// The hours of each Korean day in which nothing is sent; alerts of that time are sent afterwards.
struct QuietHours: Hashable, Sendable {
    let start: TimeOfDay
    /// The end, on the same day or the next.
    let end: TimeOfDay

    /// Reads `HH:MM-HH:MM`; the two times must differ.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let start = TimeOfDay(parts[0]), let end = TimeOfDay(parts[1]), start != end else {
            return nil
        }
        self.start = start
        self.end = end
    }

    /// Returns the end of the quiet hours at an instant; nil outside of them.
    func end(at instant: Date) -> Date? {
        let today = KoreanDate(at: instant)
        // Yesterday's may not be over yet.
        return [today - 1, today].lazy.map { day in
            (start.on(day), end.on(start.minutes < end.minutes ? day : day + 1))
        }.first { $0 <= instant && instant < $1 }?.1
    }
}

/// A time of day in Korea, to the minute.
struct TimeOfDay: Hashable, Sendable {
    let minutes: Int

    /// Reads `HH:MM`, from `00:00` to `23:59`.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { $0.isASCII && $0.isNumber } }),
            let hours = Int(parts[0]), let minutes = Int(parts[1]), hours < 24, minutes < 60
        else { return nil }
        self.minutes = hours * 60 + minutes
    }

    func on(_ day: KoreanDate) -> Date {
        day.start + Double(minutes * 60)
    }

    func firstDay(after instant: Date) -> KoreanDate {
        let today = KoreanDate(at: instant)
        return on(today) > instant ? today : today + 1
    }
}

extension TimeOfDay: CustomStringConvertible {
    var description: String {
        [minutes / 60, minutes % 60].map { String(String(100 + $0).dropFirst()) }.joined(separator: ":")
    }
}

extension Duration {
    /// Reads a span such as `90s`, `5m`, `12h` or `3d`, from one second to a thousand days.
    init?(span text: some StringProtocol) {
        guard let unit = text.last, let scale = ["s": 1, "m": 60, "h": 3_600, "d": 86_400][unit],
            let count = Int(text.dropLast()), (1...86_400_000 / scale).contains(count)
        else { return nil }
        self = .seconds(count * scale)
    }

    /// The duration in seconds, the unit of `Date`.
    var seconds: Double { self / .seconds(1) }
}
