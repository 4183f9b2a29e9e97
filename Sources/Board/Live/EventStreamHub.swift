import Concurrency
import Contract
import ServiceRuntime
import Storage
import Text
import WebServer

/// Sends live updates to all connected browsers as server-sent events.
///
/// An event's id is the read model's epoch and the update's id. A browser that reconnects with an id gets the updates
/// after it. If those are no longer kept, or the epoch is another, it gets `reset` and reloads everything. A browser
/// that does not read is disconnected, and reconnects. Each event is in memory once, however many browsers it goes to.
final class EventStreamHub: Sendable {
    fileprivate struct Client {
        let body: StreamingBody
        let network: ClientAddress?
        let browser: BrowserID?
    }

    fileprivate struct State {
        /// By the order in which they connected.
        var clients: [Int: Client] = [:]
        /// How many of them each client's network has.
        var counts: [ClientAddress?: Int] = [:]
        var lastClient = 0
        var newest = 0
        /// The newest updates as server-sent events, with their ids: as many as a greeting may hold.
        var recent: ArraySlice<(id: Int, text: [UInt8])> = []
        var link: [UInt8] = []
        var isClosed = false
        var sentCount = 0
    }

    /// How many browsers may be connected.
    static let clientLimit = 4_000
    /// How many bytes of updates are kept, well below what a connection buffers for a browser that does not read.
    static let greetingLimit = 512 << 10
    /// Shows the browser, the board and proxies between them that the connection works.
    static let keepAlive = Array("event: beat\ndata: {}\n\n".utf8)

    private let epoch: String
    private let limitPerClient: Int
    private let state: Locked<State>

    /// Makes a hub that continues after `recent`, the kept updates of the read model with this epoch.
    init(epoch: String, recent: [LiveUpdate], limitPerClient: Int = clientLimit) {
        self.limitPerClient = limitPerClient
        self.epoch = epoch
        var state = State()
        state.keep(recent.map { ($0.id, $0.serverSentEvent(epoch: epoch)) })
        self.state = Locked(state)
    }

    /// How many pages are connected.
    var clientCount: Int { state.withLock { $0.clients.count } }
    /// How many browsers are connected. Connections without a browser's id count as a browser each.
    var browserCount: Int {
        state.withLock { state in
            let browsers = state.clients.values.map(\.browser)
            return Set(browsers.compactMap(\.self)).count + browsers.count { $0 == nil }
        }
    }
    /// How many updates were sent; each counts once, whatever the number of browsers.
    var sentCount: Int { state.withLock { $0.sentCount } }

    func addMetrics(to metrics: Metrics) {
        metrics.gauge("marquee_board_browsers", "Browsers connected to the live updates.") { Double(self.browserCount) }
        metrics.counter(
            "marquee_board_live_updates_total", "Live updates sent to the connected browsers; each is counted once."
        ) {
            Double(self.sentCount)
        }
    }

    // MARK: - Clients

    /// Connects a page that has received the event with `id`, if any; nil if too many browsers are connected, of all or of
    /// this address, or the hub is closed.
    func connect(
        after id: String?, from address: ClientAddress? = nil, browser: BrowserID? = nil
    ) -> StreamingBody? {
        state.withLock { state in
            let network = address?.network
            guard !state.isClosed, state.clients.count < Self.clientLimit,
                state.counts[network, default: 0] < limitPerClient
            else { return nil }
            state.lastClient += 1
            let key = state.lastClient
            let client = StreamingBody { [weak self] in self?.remove(key) }
            client.push(greeting(after: id, state))
            state.clients[key] = Client(body: client, network: network, browser: browser)
            state.counts[network, default: 0] += 1
            return client
        }
    }

    /// The first bytes that are sent to a browser that has received the event with `id`, if any.
    func greeting(after id: String?) -> [UInt8] {
        state.withLock { Array(greeting(after: id, $0).joined()) }
    }

    /// Disconnects all browsers, and accepts no more.
    func close() {
        let clients = state.withLock { state in
            state.isClosed = true
            defer { (state.clients, state.counts) = ([:], [:]) }
            return state.clients.values.map(\.body)
        }
        for client in clients { client.end() }
    }

    /// The first bytes for a browser, in parts: missed updates are the same memory for all browsers.
    private func greeting(after id: String?, _ state: State) -> [[UInt8]] {
        let newest = state.newest
        let start = Array("retry: 2000\n\n".utf8) + state.link
        let hello = LiveUpdate.marker("hello", id: newest, epoch: epoch)
        guard let id else { return [start, hello] }
        let parts = id.parts(between: "-")
        guard parts.count == 2, parts[0] == epoch, let number = Int(parts[1]), number <= newest,
            number + 1 >= state.recent.first?.id ?? newest + 1
        else { return [start, LiveUpdate.marker(LiveUpdate.Kind.reset.rawValue, id: newest, epoch: epoch)] }
        return [start] + state.recent.drop { $0.id <= number }.map(\.text) + [hello]
    }

    private func remove(_ key: Int) {
        // Released after the lock, because this may be the last reference, and its end takes the lock again.
        let client = state.withLock { $0.remove(key) }
        withExtendedLifetime(client) {}
    }

    // MARK: - Events

    func publish(_ updates: [LiveUpdate]) {
        guard !updates.isEmpty else { return }
        let texts = updates.map { ($0.id, $0.serverSentEvent(epoch: epoch)) }
        state.withLock { state in
            state.keep(texts)
            state.sentCount += updates.count
            push(Array(texts.map(\.1).joined()), &state)
        }
    }

    /// Sends a `link` event, a JSON object that says from which processes heartbeats arrive, to all browsers, now and when
    /// they connect, unless it is the same as the last one. It has no id, because only the newest matters.
    func publish(link: [UInt8]) {
        let text = Array("event: link\ndata: ".utf8) + link + Array("\n\n".utf8)
        state.withLock { state in
            guard state.link != text else { return }
            state.link = text
            push(text, &state)
        }
    }

    func sendKeepAlive() {
        state.withLock { push(Self.keepAlive, &$0) }
    }

    private func push(_ text: [UInt8], _ state: inout State) {
        for (key, client) in state.clients where !client.body.push([text]) { _ = state.remove(key) }
    }
}

extension EventStreamHub.State {
    /// Adds updates, and drops the oldest that are more than a greeting may hold.
    fileprivate mutating func keep(_ updates: [(id: Int, text: [UInt8])]) {
        newest = updates.last?.id ?? newest
        var byteCount = 0
        let kept = (recent + updates).suffix(LiveUpdate.limit).reversed().prefix { update in
            byteCount += update.text.count
            return byteCount <= EventStreamHub.greetingLimit
        }
        recent = ArraySlice(kept.reversed())
    }

    /// Forgets a browser, and returns its body; nil if it is forgotten already.
    fileprivate mutating func remove(_ key: Int) -> StreamingBody? {
        guard let client = clients.removeValue(forKey: key) else { return nil }
        let count = counts[client.network, default: 0]
        counts[client.network] = count > 1 ? count - 1 : nil
        return client.body
    }
}

/// The name that a browser gives itself, so that all pages of one browser count once.
///
/// It is random, says nothing about the visitor, and is used for nothing else: a browser may give itself many.
struct BrowserID: Hashable, Sendable {
    private let text: String

    /// Makes an id, or nil if the text is not 1 to 36 letters, digits and hyphens.
    init?(_ text: String) {
        let isID = text.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") }
        guard isID, (1...36).contains(text.utf8.count) else { return nil }
        self.text = text
    }
}

/// A change that is sent to browsers, with enough data for a page to decide what to reload.
struct LiveUpdate: Hashable, Sendable {
    /// The subject of an update; the raw value is the name of the server-sent event.
    enum Kind: String, Sendable {
        case chart
        case movie
        case poster
        case alert
        case anomaly
        /// A page of the Open Market.
        case products
        case product
        /// The outcome of a request that was made on the board.
        case request
        /// Any data may have changed.
        case reset
    }

    /// One more than the id of the update before it.
    let id: Int
    let kind: Kind
    /// JSON in one line.
    let data: [UInt8]

    /// How many updates are kept, if they are not too large. A browser that missed more reloads its page.
    static let limit = 2_000
}

extension ReadModel {
    /// The newest updates that are kept, oldest first, and at most as many bytes as the hub holds.
    func recentUpdates() async throws -> [LiveUpdate] {
        try await database.read { connection in
            try connection.query(
                """
                select id, kind, data from (
                    select id, kind, data, sum(length(data)) over (order by id desc) as size from live_update
                ) where size <= ? order by id
                """, EventStreamHub.greetingLimit, as: Int.self, String.self, [UInt8].self
            ).compactMap { id, kind, data in
                LiveUpdate.Kind(rawValue: kind).map { LiveUpdate(id: id, kind: $0, data: data) }
            }
        }
    }
}

extension Connection {
    func addUpdate(_ kind: LiveUpdate.Kind, _ data: [UInt8]) throws(DatabaseError) -> LiveUpdate {
        let id = try query(
            "insert into live_update (kind, data) values (?, ?) returning id", kind.rawValue, data, as: Int.self)[0]
        return LiveUpdate(id: id, kind: kind, data: data)
    }

    /// Deletes all but the newest `LiveUpdate.limit` updates.
    func trimUpdates() throws(DatabaseError) {
        try execute("delete from live_update where id <= (select max(id) from live_update) - ?", LiveUpdate.limit)
    }
}

// MARK: - Server-sent events

extension LiveUpdate {
    func serverSentEvent(epoch: String) -> [UInt8] {
        Array("id: \(epoch)-\(id)\nevent: \(kind.rawValue)\ndata: ".utf8) + data.filter { $0 != 0x0A && $0 != 0x0D }
            + Array("\n\n".utf8)
    }

    /// A server-sent event without data, which sets the last id that a browser knows.
    static func marker(_ event: String, id: Int, epoch: String) -> [UInt8] {
        Array("id: \(epoch)-\(id)\nevent: \(event)\ndata: {}\n\n".utf8)
    }
}
