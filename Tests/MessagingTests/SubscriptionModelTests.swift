import EventStoreTestSupport
import FoundationEssentials
import TestSupport
import Testing

@testable import Contract
@testable import EventStore
@testable import Messaging

/// A subscription against a world that loses, repeats, restarts and begins anew, by seed: whatever happens, it delivers
/// what was logged and is wanted, once each, in order.
@Suite(.ownThread) struct SubscriptionModelTests {
    static let filters = [
        ["movie."], ["movie.A"], ["movie.A", "movie.BB"], [""], ["movie.AAAAAAAA"], ["request.done.", "movie."],
    ]

    @Test("each event is delivered once and in order despite loss, repetition and disconnection", arguments: filters)
    func randomly(_ prefixes: [String]) throws {
        for seed in 0..<UInt64(48) {
            var world = World(seed: seed, filter: TopicFilter(prefixes: prefixes))
            for _ in 0..<400 { try world.step() }
            try world.settle()
            try #require(world.faults.isEmpty, "seed \(seed): \(world.faults)")
        }
    }
}

/// A process with a log, a channel that loses, and a consumer that crashes.
private struct World {
    private struct Record {
        let topic: String
        let event: Event
    }

    private enum Word {
        case event(Event)
        case heartbeat(Heartbeat)
    }

    private static let topics = [
        "movie.AAAAAAAA", "movie.ABAAAAAA", "movie.BBBBBBBB", "request.done.1", "request.failed.2",
    ]

    private var random: SeededGenerator
    private let filter: TopicFilter
    private var epoch = "epoch 0"
    private var log: [Stream: [Record]] = [:]
    /// What is on its way, in the order it was sent in.
    private var channel: [Word] = []
    private var machine: SubscriptionStateMachine
    /// What the consumer has kept, in one transaction with the position.
    private var kept: LogCursor?
    private var had: [String: [Event]] = [:]
    private var loss: Double
    private var isCrashing = true
    private(set) var faults: [String] = []

    init(seed: UInt64, filter: TopicFilter) {
        random = SeededGenerator(seed: seed)
        self.filter = filter
        machine = SubscriptionStateMachine(filter: filter, position: nil)
        loss = [0, 0.02, 0.3, 0.9][Int(seed % 4)]
    }

    mutating func step() throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<45: try publish()
        case 45..<50: republish()
        case 50..<60: beat()
        case 60..<98: for _ in 0..<2 where !channel.isEmpty { try receive() }
        case 98: crash()
        default: if Int.random(in: 0..<3, using: &random) == 0 { beginAnew() }
        }
    }

    /// Lets everything arrive, and one heartbeat for certain, and looks at the outcome.
    mutating func settle() throws {
        loss = 0
        isCrashing = false
        beat()
        while !channel.isEmpty { try receive() }
        // A heartbeat that shows a new log is followed by one that shows what is in it.
        beat()
        while !channel.isEmpty { try receive() }
        for stream in filter.streams {
            let wanted = (log[stream] ?? []).map(\.event).filter { filter.includes($0.topic) }
            let delivered = had[epoch, default: []].filter { $0.stream == stream }
            if Set(delivered.map(\.sequence)) != Set(wanted.map(\.sequence)) {
                faults.append("\(stream): \(delivered.count) of \(wanted.count)")
            }
        }
    }

    private mutating func publish() throws {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let topic = Self.topics.randomElement(using: &random) ?? ""
            let draft = try draft(topic)
            let records = log[draft.topic.stream] ?? []
            let logged = LoggedEvent(
                draft, named: topic, source: "/marquee/worker",
                time: Date(timeIntervalSince1970: 0), epoch: epoch,
                sequence: try #require(SequenceNumber(UInt64(records.count + 1))),
                previous: records.last { $0.topic == topic }?.event.sequence ?? .zero)
            let event = try Event(topic: logged.topic, body: logged.body)
            log[event.stream, default: []].append(Record(topic: topic, event: event))
            send(.event(event))
        }
    }

    private mutating func republish() {
        if let record = log.values.joined().randomElement(using: &random) { send(.event(record.event)) }
    }

    private mutating func beat() {
        send(.heartbeat(Heartbeat(epoch: epoch, positions: log.compactMapValues(\.last?.event.sequence))))
    }

    private mutating func send(_ word: Word) {
        guard Double.random(in: 0..<1, using: &random) >= loss else { return }
        if case .event(let event) = word, !filter.includes(event.topic) { return }
        channel.append(word)
        if Int.random(in: 0..<20, using: &random) == 0 { channel.append(word) }
    }

    private mutating func receive() throws {
        let output =
            switch channel.removeFirst() {
            case .event(let event): machine.handle(event)
            case .heartbeat(let heartbeat): machine.handle(heartbeat)
            }
        try perform(output)
    }

    private mutating func perform(_ output: SubscriptionStateMachine.Output) throws {
        // A crash before a batch is kept: all of it must come again.
        for _ in output.items where isCrashing && Int.random(in: 0..<200, using: &random) == 0 { return crash() }
        for delivery in output.items { take(delivery) }
        if !output.items.isEmpty { kept = machine.position }
        for stream in output.fetches {
            let epochs = machine.position?.epoch
            // Between question and answer the world goes on.
            if Int.random(in: 0..<4, using: &random) == 0 { try publish() }
            try perform(machine.handle(page(of: stream), of: stream))
            if kept == nil || machine.position?.epoch != epochs { return }
        }
    }

    private func page(of stream: Stream) throws -> ReplayPage {
        let records = log[stream] ?? []
        let after = Int(machine.sequence(in: stream).value)
        let reach = records.dropFirst(after).prefix(7)
        let events = reach.map(\.event).filter { event in
            event.topic.description.hasPrefix(filter.commonPrefix(in: stream))
        }
        let position = max(after, min(after + 7, records.count))
        return ReplayPage(
            epoch: epoch, events: events, position: try #require(SequenceNumber(UInt64(position))),
            more: position < records.count)
    }

    private mutating func take(_ delivery: Subscription.Item) {
        guard case .event(let event) = delivery else { return }
        let earlier = had[event.epoch, default: []].filter { $0.stream == event.stream }
        let rivals = filter.isWhole(event.stream) ? earlier : earlier.filter { $0.topic == event.topic }
        if let last = rivals.last, last.sequence >= event.sequence {
            faults.append("\(event.topic) \(event.sequence.value) after \(last.sequence.value)")
        }
        had[event.epoch, default: []].append(event)
    }

    /// The consumer starts again with what it kept; what was on its way to it is gone.
    private mutating func crash() {
        channel = []
        machine = SubscriptionStateMachine(filter: filter, position: kept)
    }

    /// The process has lost its log.
    private mutating func beginAnew() {
        epoch = "epoch \(Int.random(in: 1...1_000_000, using: &random))"
        log = [:]
    }
}
