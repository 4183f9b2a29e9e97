internal import Concurrency

/// Who has subscribed to a publisher: how many to each prefix.
///
/// State instead of a sequence of notices, so that nothing piles up when nobody looks. Only waiting rests on it: a peer that
/// cancels what it never asked for can make a count too small, and ZeroMQ itself goes on sending.
final class Subscribers: Sendable {
    private struct State {
        var counts: [[UInt8]: Int] = [:]
        /// How many subscriptions there have been, whoever has left since.
        var arrivals = 0
        var isClosed = false

        /// A message reaches those who subscribed to any prefix of its topic.
        func count(of topic: [UInt8]) -> Int {
            (0...topic.count).reduce(0) { $0 + (counts[Array(topic.prefix($1))] ?? 0) }
        }
    }

    /// Strangers choose the prefixes, so there is an end to how many are remembered.
    private static let limit = 10_000

    private let state = AsyncCondition(State())

    /// Notes what an XPUB socket received: a byte 1 (subscribe) or 0 (unsubscribe), then the prefix.
    ///
    /// False if it is anything else, or a subscription to a prefix too many; that one works, but is not known here.
    func note(_ message: Message) -> Bool {
        guard message.frames.count == 1, let verb = message.frames[0].first, verb <= 1 else { return false }
        let prefix = Array(message.frames[0].dropFirst())
        return state.update { state in
            let count = state.counts[prefix] ?? 0
            if verb == 1, count == 0, state.counts.count >= Self.limit { return false }
            let changed = count + (verb == 1 ? 1 : -1)
            if verb == 1 { state.arrivals += 1 }
            state.counts[prefix] = changed > 0 ? changed : nil
            return true
        }
    }

    /// Suspends until `count` subscriptions match `topic`; false if it is closed or the task cancelled first.
    func wait(for count: Int, to topic: String) async -> Bool {
        let topic = Array(topic.utf8)
        guard await state.wait(until: { $0.count(of: topic) >= count || $0.isClosed }) else { return false }
        return state.read { !$0.isClosed }
    }

    /// Suspends until there have been more than `count` subscriptions, and returns how many; nil if it is closed or the task
    /// cancelled first.
    func wait(forMoreThan count: Int) async -> Int? {
        guard await state.wait(until: { $0.arrivals > count || $0.isClosed }) else { return nil }
        return state.read { $0.arrivals > count ? $0.arrivals : nil }
    }

    /// Ends all waiting.
    func close() {
        state.update { $0.isClosed = true }
    }
}
