internal import Concurrency

/// The number of a publisher's subscriptions to each prefix.
///
/// Only waiting for subscribers depends on it: a peer that unsubscribes from what it has not subscribed to makes a count
/// too small, and ZeroMQ still sends to the others.
final class SubscriptionCounts: Sendable {
    private struct State {
        var counts: [[UInt8]: Int] = [:]
        /// The subscriptions received so far, including those that have ended.
        var received = 0
        var isClosed = false

        /// Returns the number of subscriptions to any prefix of a topic.
        func count(of topic: [UInt8]) -> Int {
            (0...topic.count).reduce(0) { $0 + (counts[Array(topic.prefix($1))] ?? 0) }
        }
    }

    // A limit, because peers choose the prefixes.
    private static let limit = 10_000

    private let state = AsyncCondition(State())

    /// Records a message that an XPUB socket has received: a byte 1 (subscribe) or 0 (unsubscribe), then the prefix.
    ///
    /// - Returns: false if the message is malformed, or subscribes to a prefix beyond the limit. ZeroMQ serves such a
    ///   subscription, but it is not counted here.
    func record(_ message: Message) -> Bool {
        guard message.frames.count == 1, let verb = message.frames[0].first, verb <= 1 else { return false }
        let prefix = Array(message.frames[0].dropFirst())
        return state.update { state in
            let count = state.counts[prefix] ?? 0
            if verb == 1, count == 0, state.counts.count >= Self.limit { return false }
            let changed = count + (verb == 1 ? 1 : -1)
            if verb == 1 { state.received += 1 }
            state.counts[prefix] = changed > 0 ? changed : nil
            return true
        }
    }

    /// Suspends until `count` subscriptions match `topic`; returns false if the socket is closed or the task cancelled first.
    func wait(for count: Int, to topic: String) async -> Bool {
        let topic = Array(topic.utf8)
        guard await state.wait(until: { $0.count(of: topic) >= count || $0.isClosed }) else { return false }
        return state.read { !$0.isClosed }
    }

    /// Suspends until more than `count` subscriptions have been received, and returns their number; returns nil if the socket
    /// is closed or the task cancelled first.
    func wait(forMoreThan count: Int) async -> Int? {
        guard await state.wait(until: { $0.received > count || $0.isClosed }) else { return nil }
        return state.read { $0.received > count ? $0.received : nil }
    }

    /// Ends all waiting.
    func close() {
        state.update { $0.isClosed = true }
    }
}
