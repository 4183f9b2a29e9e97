/// When a letter that was not taken is tried again, and when no more.
struct Backoff: Hashable, Sendable {
    /// No pause is longer, whoever asks for it.
    static let longest = Duration.seconds(86_400)

    /// How often a letter is tried at most.
    var attempts = 20
    /// The longest pause after the first attempt; it doubles with each further one.
    var base = Duration.seconds(5)
    /// Where the doubling ends.
    var cap = Duration.seconds(3_600)

    /// The pause after so many attempts, or nil if that was the last; `fraction` in 0..<1 is chance.
    ///
    /// At least half of it is certain, so that no sink is asked again at once; and no less than the sink asked for.
    func pause(after attempts: Int, asked retryAfter: Duration?, fraction: Double) -> Duration? {
        guard attempts < self.attempts else { return nil }
        let doublings = min(max(0, attempts - 1), 30)
        let whole = min(cap, base * (1 << doublings))
        return min(max(whole * (0.5 + fraction / 2), retryAfter ?? .zero), Self.longest)
    }
}
