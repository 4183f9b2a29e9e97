import Contract

/// Decides what a subscription delivers and which pages it reads from the log. Uses no sockets and no clock.
///
/// An event is delivered if nothing can be missing before it. In a stream that is subscribed as a whole, its `sequence`
/// must follow the last one; otherwise its `previous`, the event before it with the same topic, must have been received.
/// Any other event is dropped, and the log is read from the last sequence up to which nothing is missing. A heartbeat
/// carries the position of each stream, so that the loss of the newest event is detected as well.
/// No event is buffered or reordered: the state is a bounded set of sequences.
struct SubscriptionStateMachine: Sendable {
    /// What to do next: first deliver the items, then read the pages.
    struct Output: Sendable {
        var items: [Subscription.Item] = []
        /// The streams to read a page of; pass each page to `handle(_:of:)`.
        var fetches: [Stream] = []
    }

    /// The number of events received out of order at which the log is read.
    static let outOfOrderLimit = 500

    let filter: TopicFilter
    /// The consumer's position after all items so far; nil until a log is known.
    private(set) var position: LogCursor?
    /// The positions in the last heartbeat of this log.
    private var advertised: [Stream: SequenceNumber]?
    private var isLive = false

    init(filter: TopicFilter, position: LogCursor?) {
        self.filter = filter
        self.position = position
    }

    func sequence(in stream: Stream) -> SequenceNumber {
        position?[stream].after ?? .zero
    }

    mutating func handle(_ event: Event) -> Output {
        // An event of another log belongs to a new log or to a former one; the next heartbeat decides.
        guard let position, event.epoch == position.epoch, filter.includes(event.topic) else { return Output() }
        let cursor = position[event.stream]
        guard !cursor.contains(event.sequence) else { return Output() }
        let follows =
            filter.isWhole(event.stream)
            ? event.sequence == cursor.after.advanced(by: 1) : cursor.contains(event.previous)
        guard follows, cursor.outOfOrder.count < Self.outOfOrderLimit else { return Output(fetches: [event.stream]) }
        self.position?.streams[event.stream, default: .beginning].insert(event.sequence)
        return Output(items: [.event(event)])
    }

    mutating func handle(_ heartbeat: Heartbeat) -> Output {
        let position = position ?? LogCursor(epoch: heartbeat.epoch)
        self.position = position
        // A heartbeat may be late. Only a reply shows whether this is a new log or the last heartbeat of a former one.
        guard heartbeat.epoch == position.epoch else { return Output(fetches: Array(filter.streams.prefix(1))) }
        advertised = heartbeat.positions
        let behind = filter.streams.filter { sequence(in: $0) < heartbeat.positions[$0] ?? .zero }
        return Output(items: becomeLive(), fetches: behind)
    }

    mutating func handle(_ page: ReplayPage, of stream: Stream) -> Output {
        guard var position, page.epoch == position.epoch else { return restart(page.epoch, with: stream) }
        var output = Output()
        for event in page.events where event.sequence > position[stream].after {
            let isNew = !position[stream].contains(event.sequence) && filter.includes(event.topic)
            // The page leaves nothing out, so nothing is missing up to each of its events.
            position.streams[stream, default: .beginning].complete(to: event.sequence)
            if isNew { output.items.append(.event(event)) }
        }
        position.streams[stream, default: .beginning].complete(to: page.position)
        self.position = position
        if page.more { output.fetches = [stream] }
        output.items += becomeLive()
        return output
    }

    private mutating func restart(_ epoch: String, with stream: Stream) -> Output {
        let position = LogCursor(epoch: epoch)
        self.position = position
        advertised = nil
        isLive = false
        return Output(items: [.newLog(position)], fetches: [stream])
    }

    /// Returns `live`, once in each log, when everything is delivered that the last heartbeat advertised.
    private mutating func becomeLive() -> [Subscription.Item] {
        guard !isLive, let position, let advertised else { return [] }
        guard filter.streams.allSatisfy({ position[$0].after >= advertised[$0] ?? .zero }) else { return [] }
        isLive = true
        return [.live(position)]
    }
}

/// The topics of a subscription, by stream: those that begin with one of its prefixes.
struct TopicFilter: Hashable, Sendable {
    /// The prefixes within each subscribed stream; an empty list means the whole stream.
    private let prefixes: [Stream: [String]]

    init(prefixes: [String]) {
        var wanted: [Stream: [String]] = [:]
        for stream in Stream.allCases {
            let word = stream.rawValue + "."
            if prefixes.contains(where: word.hasPrefix) {
                wanted[stream] = []
            } else {
                let inside = prefixes.filter { $0.hasPrefix(word) }
                if !inside.isEmpty { wanted[stream] = inside }
            }
        }
        self.prefixes = wanted
    }

    /// The streams with subscribed topics, in a fixed order.
    var streams: [Stream] {
        Stream.allCases.filter { prefixes[$0] != nil }
    }

    /// Whether a whole stream is subscribed, so that gaps in its sequences show every loss.
    func isWhole(_ stream: Stream) -> Bool {
        prefixes[stream]?.isEmpty == true
    }

    func includes(_ topic: Topic) -> Bool {
        guard let wanted = prefixes[topic.stream] else { return false }
        guard !wanted.isEmpty else { return true }
        let text = topic.description
        return wanted.contains { text.utf8.starts(with: $0.utf8) }
    }

    /// Returns the longest prefix that all subscribed topics of a stream share, for reading the log.
    func commonPrefix(in stream: Stream) -> String {
        guard let wanted = prefixes[stream], var common = wanted.first else { return "" }
        for other in wanted {
            common = String(zip(common, other).prefix { $0 == $1 }.map(\.0))
        }
        return common
    }
}
