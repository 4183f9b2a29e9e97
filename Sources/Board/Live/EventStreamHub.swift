import Concurrency
import Operations
import WebServer

/// Hands news to all browsers that watch, as server-sent events; none is missed by one that comes back in time.
///
/// An event's id is the read model's epoch and the news' number. Who comes back with one gets what came after it, or,
/// where that is no longer kept or the epoch is another, the advice to load everything anew. A browser that does not read
/// is cut off, and comes back. What everybody gets is in memory once.
final class EventStreamHub: Sendable {
    private struct State {
        /// By the number of their arrival.
        var watchers: [Int: StreamingBody] = [:]
        var arrivals = 0
        /// The newest news in the form in which they are sent, with their numbers.
        var recent: ArraySlice<(id: Int, text: [UInt8])>
        var link: [UInt8] = []
        var isClosed = false
        var sent = 0
    }

    /// How many browsers may watch; one more is asked to come again later.
    static let limit = 4_000
    /// How many bytes of what was missed are sent: well below what a connection holds for a browser that does not read.
    static let greetingLimit = 512 << 10
    /// Both ends of a connection, and what is between them, see that it lives.
    static let beat = Array("event: beat\ndata: {}\n\n".utf8)

    private let epoch: String
    private let state: Locked<State>

    /// Goes on after `recent`, the newest news of the read model called `epoch`.
    init(epoch: String, recent: [LiveUpdate]) {
        self.epoch = epoch
        state = Locked(State(recent: recent.map { ($0.id, $0.text(in: epoch)) }[...]))
    }

    /// Lets a browser watch, after the event whose id it has; nil if too many watch, or the hub is closed.
    func watch(after id: String?) -> StreamingBody? {
        state.withLock { state in
            guard !state.isClosed, state.watchers.count < Self.limit else { return nil }
            state.arrivals += 1
            let key = state.arrivals
            let watcher = StreamingBody { [weak self] in self?.remove(key) }
            watcher.push(greeting(after: id, state))
            state.watchers[key] = watcher
            return watcher
        }
    }

    /// What somebody is sent first who has the event with this id, or none.
    func greeting(after id: String?) -> [UInt8] {
        state.withLock { greeting(after: id, $0) }
    }

    private func greeting(after id: String?, _ state: State) -> [UInt8] {
        Array("retry: 2000\n\n".utf8) + state.link + missed(after: id, state)
    }

    /// Sends news to everybody.
    func publish(_ news: [LiveUpdate]) {
        guard !news.isEmpty else { return }
        let texts = news.map { ($0.id, $0.text(in: epoch)) }
        state.withLock { state in
            state.recent += texts
            state.recent = Array(state.recent.suffix(LiveUpdate.limit))[...]
            state.sent += news.count
            push(Array(texts.map(\.1).joined()), &state)
        }
    }

    /// Tells everybody, and whoever comes later, which of the processes can be heard; it has no id, for it is soon old.
    func tell(link: [UInt8]) {
        let text = Array("event: link\ndata: ".utf8) + link + Array("\n\n".utf8)
        state.withLock { state in
            guard state.link != text else { return }
            state.link = text
            push(text, &state)
        }
    }

    /// Sends everybody a sign of life.
    func beat() {
        state.withLock { push(Self.beat, &$0) }
    }

    /// Lets nobody watch any more.
    func close() {
        let watchers = state.withLock { state in
            state.isClosed = true
            defer { state.watchers = [:] }
            return state.watchers.values
        }
        for watcher in watchers { watcher.end() }
    }

    /// How many watch.
    var count: Int { state.withLock { $0.watchers.count } }
    /// How many news were sent, each counted once.
    var sent: Int { state.withLock { $0.sent } }

    /// Has metrics tell both.
    func report(to metrics: Metrics) {
        metrics.gauge("marquee_board_browsers", "Browsers that watch.") { Double(self.count) }
        metrics.counter("marquee_board_news_total", "News that were sent to the browsers that watch, each once.") {
            Double(self.sent)
        }
    }

    private func remove(_ key: Int) {
        // Released after the lock: the last reference may be this one.
        let watcher = state.withLock { $0.watchers.removeValue(forKey: key) }
        withExtendedLifetime(watcher) {}
    }

    private func push(_ text: [UInt8], _ state: inout State) {
        for (key, watcher) in state.watchers where !watcher.push(text) { state.watchers[key] = nil }
    }

    /// What somebody missed who had the event with this id, or the id to begin with.
    private func missed(after id: String?, _ state: State) -> [UInt8] {
        let newest = state.recent.last?.id ?? 0
        guard let id else { return LiveUpdate.mark(newest, in: epoch, event: "hello") }
        let parts = id.split(separator: "-")
        guard parts.count == 2, parts[0] == epoch, let number = Int(parts[1]), number <= newest,
            number + 1 >= state.recent.first?.id ?? newest + 1
        else { return LiveUpdate.mark(newest, in: epoch, event: LiveUpdate.Kind.reset.rawValue) }
        let missed = state.recent.drop { $0.id <= number }.map(\.text).joined()
        guard missed.count <= Self.greetingLimit else {
            return LiveUpdate.mark(newest, in: epoch, event: LiveUpdate.Kind.reset.rawValue)
        }
        return Array(missed) + LiveUpdate.mark(newest, in: epoch, event: "hello")
    }
}

extension LiveUpdate {
    /// The news as a server-sent event.
    fileprivate func text(in epoch: String) -> [UInt8] {
        Array("id: \(epoch)-\(id)\nevent: \(kind.rawValue)\ndata: ".utf8) + data.filter { $0 != 0x0A && $0 != 0x0D }
            + Array("\n\n".utf8)
    }

    /// An event without news that tells where the browser is.
    fileprivate static func mark(_ id: Int, in epoch: String, event: String) -> [UInt8] {
        Array("id: \(epoch)-\(id)\nevent: \(event)\ndata: {}\n\n".utf8)
    }
}
