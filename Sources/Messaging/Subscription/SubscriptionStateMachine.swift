import Contract

/// Decides what a subscription delivers and what it must ask the log for. Knows no sockets and no time.
///
/// Events are delivered as they come, as long as nothing can be missing before them: in a stream that is wanted whole,
/// each must follow the one before it by `sequence`; otherwise its `previous`, the event before it with its topic, must
/// have been had. Whatever does not fit is dropped and the log asked for all that follows the last place that is sure. A
/// heartbeat tells how far each stream has come, so that the loss of a last event shows, too: whether a place beyond
/// the sure one holds something wanted only the log knows.
///
/// Nothing is held back or put in order here: memory is a bounded set of numbers.
struct SubscriptionStateMachine: Sendable {
    /// What to do, deliveries first.
    struct Output: Sendable {
        var deliveries: [Subscription.Delivery] = []
        /// The streams of which a page is to be asked for; each is a `take(_:of:)` to come.
        var fetches: [Stream] = []
    }

    /// How many events may be delivered beyond the sure place before the log is asked.
    static let limit = 500

    let interest: TopicFilter
    /// How far the consumer has come once it has had all deliveries so far; nil until a log is known.
    private(set) var position: LogCursor?
    private let start: Subscription.Start
    /// What the last heartbeat of this log said.
    private var heard: [Stream: SequenceNumber]?
    private var isLive = false

    init(interest: TopicFilter, start: Subscription.Start) {
        self.interest = interest
        self.start = start
        if case .after(let position) = start { self.position = position }
    }

    /// The place after which a stream is to be asked for.
    func place(in stream: Stream) -> SequenceNumber {
        position?[stream].after ?? .zero
    }

    /// Takes an event that was published.
    mutating func take(_ event: Event) -> Output {
        // An event of another log is that log's first, or a late one of a former: a heartbeat will tell.
        guard let position, event.epoch == position.epoch, interest.includes(event.topic) else { return Output() }
        let place = position[event.stream]
        guard !place.has(event.sequence) else { return Output() }
        let follows =
            interest.isWhole(event.stream)
            ? event.sequence == place.after.advanced(by: 1) : place.has(event.previous)
        guard follows, place.beyond.count < Self.limit else { return Output(fetches: [event.stream]) }
        self.position?.streams[event.stream, default: .beginning].add(event.sequence)
        return Output(deliveries: [.event(event)])
    }

    /// Takes a heartbeat.
    mutating func take(_ heartbeat: Heartbeat) -> Output {
        let position = position ?? begin(heartbeat)
        self.position = position
        // Only an answer, which is never old, can tell whether this is a new log or the last word of a former one.
        guard heartbeat.epoch == position.epoch else { return Output(fetches: Array(interest.streams.prefix(1))) }
        heard = heartbeat.positions
        let behind = interest.streams.filter { place(in: $0) < heartbeat.positions[$0] ?? .zero }
        return Output(deliveries: becomeLive(), fetches: behind)
    }

    /// Takes a page that was asked for.
    mutating func take(_ page: ReplayPage, of stream: Stream) -> Output {
        guard var position, page.epoch == position.epoch else { return beginAnew(page.epoch, asking: stream) }
        var output = Output()
        for event in page.events where event.sequence > position[stream].after {
            let isNew = !position[stream].has(event.sequence) && interest.includes(event.topic)
            // The page leaves nothing out, so its events lead from one sure place to the next.
            position.streams[stream, default: .beginning].complete(to: event.sequence)
            if isNew { output.deliveries.append(.event(event)) }
        }
        position.streams[stream, default: .beginning].complete(to: page.position)
        self.position = position
        if page.more { output.fetches = [stream] }
        output.deliveries += becomeLive()
        return output
    }

    /// The position to begin with in the first log that is heard of.
    private func begin(_ heartbeat: Heartbeat) -> LogCursor {
        guard case .newest = start else { return LogCursor(epoch: heartbeat.epoch) }
        let streams = heartbeat.positions.filter { interest.streams.contains($0.key) }
        return LogCursor(epoch: heartbeat.epoch, streams: streams.mapValues { StreamCursor(after: $0) })
    }

    private mutating func beginAnew(_ epoch: String, asking stream: Stream) -> Output {
        let position = LogCursor(epoch: epoch)
        self.position = position
        heard = nil
        isLive = false
        return Output(deliveries: [.newLog(position)], fetches: [stream])
    }

    /// Tells, once in each log, that all is delivered that had been published at the last heartbeat.
    private mutating func becomeLive() -> [Subscription.Delivery] {
        guard !isLive, let position, let heard else { return [] }
        guard interest.streams.allSatisfy({ position[$0].after >= heard[$0] ?? .zero }) else { return [] }
        isLive = true
        return [.live(position)]
    }
}
