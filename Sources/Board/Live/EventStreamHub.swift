import Concurrency
import Operations
import Text
import WebServer

/// Sends live updates to all connected browsers as server-sent events; a browser that reconnects in time misses none.
///
/// An event's id is the read model's epoch and the update's id. A browser that reconnects with an id gets the updates
/// after it. If those are no longer kept, or the epoch is another, it gets `reset` and reloads everything. A browser
/// that does not read is disconnected, and reconnects. Each event is in memory once, however many browsers it goes to.
final class EventStreamHub: Sendable {
    private struct State {
        /// By the order in which they connected.
        var clients: [Int: StreamingBody] = [:]
        var lastClient = 0
        /// The newest updates as server-sent events, with their ids.
        var recent: ArraySlice<(id: Int, text: [UInt8])>
        /// The last `link` event.
        var link: [UInt8] = []
        var isClosed = false
        var sentCount = 0
    }

    /// How many browsers may be connected.
    static let clientLimit = 4_000
    /// How many bytes of missed updates are sent, well below what a connection buffers for a browser that does not read.
    static let greetingLimit = 512 << 10
    /// Shows the browser, the board and proxies between them that the connection works.
    static let keepAlive = Array("event: beat\ndata: {}\n\n".utf8)

    private let epoch: String
    private let state: Locked<State>

    /// Makes a hub that continues after `recent`, the kept updates of the read model with this epoch.
    init(epoch: String, recent: [LiveUpdate]) {
        self.epoch = epoch
        state = Locked(State(recent: recent.map { ($0.id, $0.serverSentEvent(epoch: epoch)) }[...]))
    }

    /// How many browsers are connected.
    var clientCount: Int { state.withLock { $0.clients.count } }
    /// How many updates were sent; each counts once, whatever the number of browsers.
    var sentCount: Int { state.withLock { $0.sentCount } }

    /// Adds both counts to `metrics`.
    func addMetrics(to metrics: Metrics) {
        metrics.gauge("marquee_board_browsers", "Browsers connected to the live updates.") { Double(self.clientCount) }
        metrics.counter(
            "marquee_board_news_total", "Live updates sent to the connected browsers; each is counted once."
        ) {
            Double(self.sentCount)
        }
    }

    // MARK: - Clients

    /// Connects a browser that has received the event with `id`, if any.
    ///
    /// - Returns: The body that the browser reads; nil if too many browsers are connected, or the hub is closed.
    func connect(after id: String?) -> StreamingBody? {
        state.withLock { state in
            guard !state.isClosed, state.clients.count < Self.clientLimit else { return nil }
            state.lastClient += 1
            let key = state.lastClient
            let client = StreamingBody { [weak self] in self?.remove(key) }
            client.push(greeting(after: id, state))
            state.clients[key] = client
            return client
        }
    }

    /// The first bytes that are sent to a browser that has received the event with `id`, if any.
    func greeting(after id: String?) -> [UInt8] {
        state.withLock { greeting(after: id, $0) }
    }

    /// Disconnects all browsers, and accepts no more.
    func close() {
        let clients = state.withLock { state in
            state.isClosed = true
            defer { state.clients = [:] }
            return state.clients.values
        }
        for client in clients { client.end() }
    }

    private func greeting(after id: String?, _ state: State) -> [UInt8] {
        Array("retry: 2000\n\n".utf8) + state.link + missed(after: id, state)
    }

    private func missed(after id: String?, _ state: State) -> [UInt8] {
        let newest = state.recent.last?.id ?? 0
        guard let id else { return LiveUpdate.marker("hello", id: newest, epoch: epoch) }
        let parts = id.parts(between: "-")
        guard parts.count == 2, parts[0] == epoch, let number = Int(parts[1]), number <= newest,
            number + 1 >= state.recent.first?.id ?? newest + 1
        else { return LiveUpdate.marker(LiveUpdate.Kind.reset.rawValue, id: newest, epoch: epoch) }
        let missed = state.recent.drop { $0.id <= number }.map(\.text).joined()
        guard missed.count <= Self.greetingLimit else {
            return LiveUpdate.marker(LiveUpdate.Kind.reset.rawValue, id: newest, epoch: epoch)
        }
        return Array(missed) + LiveUpdate.marker("hello", id: newest, epoch: epoch)
    }

    private func remove(_ key: Int) {
        // Released after the lock, because this may be the last reference, and its end takes the lock again.
        let client = state.withLock { $0.clients.removeValue(forKey: key) }
        withExtendedLifetime(client) {}
    }

    // MARK: - Events

    /// Sends updates to all browsers.
    func publish(_ updates: [LiveUpdate]) {
        guard !updates.isEmpty else { return }
        let texts = updates.map { ($0.id, $0.serverSentEvent(epoch: epoch)) }
        state.withLock { state in
            state.recent += texts
            state.recent = Array(state.recent.suffix(LiveUpdate.limit))[...]
            state.sentCount += updates.count
            push(Array(texts.map(\.1).joined()), &state)
        }
    }

    /// Sends a `link` event to all browsers, now and when they connect, unless it is the same as the last one.
    ///
    /// It has no id, because only the newest matters.
    ///
    /// - Parameter link: A JSON object that says from which processes heartbeats arrive.
    func publish(link: [UInt8]) {
        let text = Array("event: link\ndata: ".utf8) + link + Array("\n\n".utf8)
        state.withLock { state in
            guard state.link != text else { return }
            state.link = text
            push(text, &state)
        }
    }

    /// Sends a keep-alive event to all browsers.
    func sendKeepAlive() {
        state.withLock { push(Self.keepAlive, &$0) }
    }

    private func push(_ text: [UInt8], _ state: inout State) {
        for (key, client) in state.clients where !client.push(text) { state.clients[key] = nil }
    }
}
