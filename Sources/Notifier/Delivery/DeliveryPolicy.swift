import BoxOffice
import FoundationEssentials

/// When a sink gets what: quiet hours, digest, rate and pauses, without clock and disk.
///
/// What waits for the sink and the time come in, what to do comes out. Letters go in the order of their alerts; one
/// that is to be tried again holds up those behind it, and no other sink.
struct DeliveryPolicy: Hashable, Sendable {
    /// How many alerts one letter has at most.
    static let letterSize = 500

    /// An alert that waits for the sink.
    struct Waiting: Hashable, Sendable {
        /// Its place among all deliveries.
        var number: Int
        /// The alert's id.
        var alert: String
        /// When it came.
        var queuedAt: Date
        /// The letter that it is a part of; nil until one is begun.
        var letter: String?
        /// How often that letter was tried.
        var attempts = 0
        /// When it may be tried again.
        var dueAt: Date?
    }

    /// What a sink's past means for what comes next.
    struct Past: Hashable, Sendable {
        /// When letters were tried of late, newest first.
        var attempts: [Date] = []
        /// The day of the latest digest that was begun.
        var lastDigest: KoreanDate?
    }

    /// What is to be done now.
    enum Step: Hashable, Sendable {
        /// Send a letter with these alerts.
        case send(letter: String, [Waiting])
        /// Nothing until then, unless something new comes.
        case wait(until: Date)
        /// Nothing until something new comes.
        case rest
    }

    /// The sink's name, which the keys of its digests hold.
    var sink: String
    /// When nothing is sent.
    var quietHours: QuietHours?
    /// When a day's alerts are sent, all in one letter; nil to send each by itself as it comes.
    var digest: TimeOfDay?
    /// How many letters are sent in a span of time.
    var rate: RateLimit?

    /// What the keys of the sink's digests begin with; the day of the digest follows.
    var digestPrefix: String { "digest.\(sink)." }

    /// What to do with what waits, in its order.
    func step(_ waiting: [Waiting], _ past: Past, at now: Date) -> Step {
        guard let first = waiting.first else { return .rest }
        if let end = quietHours?.end(at: now) { return .wait(until: end) }
        // A pause that is longer than any is from before the clock was set back.
        if let due = first.dueAt, due > now, due <= now + Backoff.longest.seconds { return .wait(until: due) }
        if first.letter == nil, let digest {
            let day = self.day(of: first, digest, past)
            guard digest.on(day) <= now else { return .wait(until: digest.on(day)) }
        }
        if let room = rate?.room(after: past.attempts, at: now) { return .wait(until: room) }
        return letter(of: waiting, first, past)
    }

    private func letter(of waiting: [Waiting], _ first: Waiting, _ past: Past) -> Step {
        if let letter = first.letter { return .send(letter: letter, waiting.filter { $0.letter == letter }) }
        guard let digest else { return .send(letter: first.alert, [first]) }
        let day = self.day(of: first, digest, past)
        let together = waiting.prefix { $0.letter == nil && self.day(of: $0, digest, past) == day }
        return .send(letter: "\(digestPrefix)\(day)", Array(together.prefix(Self.letterSize)))
    }

    /// The day of the digest that an alert belongs to.
    ///
    /// Never one whose digest was begun: its letter is as it was sent first, and sent again it has to be the same.
    private func day(of waiting: Waiting, _ digest: TimeOfDay, _ past: Past) -> KoreanDate {
        let day = digest.firstDay(after: waiting.queuedAt)
        return past.lastDigest.map { max(day, $0 + 1) } ?? day
    }
}
