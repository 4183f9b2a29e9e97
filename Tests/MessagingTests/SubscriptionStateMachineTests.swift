import EventStoreTestSupport
import FoundationEssentials
import Testing

@testable import Contract
@testable import EventStore
@testable import Messaging

/// What a subscription does about each thing that can happen, without sockets and time.
@Suite struct SubscriptionStateMachineTests {
    static let epoch = "log"

    func number(_ value: Int) throws -> SequenceNumber {
        try #require(SequenceNumber(UInt64(value)))
    }

    func event(_ topic: String, _ sequence: Int, previous: Int = 0, epoch: String = epoch) throws -> Event {
        let logged = LoggedEvent(
            try draft(topic), named: topic, source: "/marquee/worker", time: Date(timeIntervalSince1970: 0),
            epoch: epoch, sequence: try number(sequence), previous: try number(previous))
        return try Event(topic: logged.topic, body: logged.body)
    }

    func heartbeat(_ positions: [Stream: Int], epoch: String = epoch) throws -> Heartbeat {
        Heartbeat(epoch: epoch, positions: try positions.mapValues(number))
    }

    func page(_ events: [Event], to position: Int, more: Bool = false, epoch: String = epoch) throws -> ReplayPage {
        ReplayPage(epoch: epoch, events: events, position: try number(position), more: more)
    }

    /// A machine that has had a stream up to a place.
    func machine(_ prefixes: String..., after places: [Stream: Int]) throws -> SubscriptionStateMachine {
        let streams = try places.mapValues { StreamCursor(after: try number($0)) }
        return SubscriptionStateMachine(
            filter: TopicFilter(prefixes: prefixes), position: LogCursor(epoch: Self.epoch, streams: streams))
    }

    /// An output in short: `movie 4`, `live`, `new log`, `fetch movie`.
    func short(_ output: SubscriptionStateMachine.Output) -> [String] {
        output.items.map { delivery in
            switch delivery {
            case .event(let event): "\(event.stream.rawValue) \(event.sequence.value)"
            case .live: "live"
            case .newLog(let position): "new log \(position.epoch)"
            }
        } + output.fetches.map { "fetch \($0.rawValue)" }
    }

    @Test(
        "in a whole stream, the next event is delivered, a repeated one is dropped, and any other reveals a gap",
        arguments: [(3, []), (4, []), (5, ["movie 5"]), (6, ["fetch movie"]), (9, ["fetch movie"])])
    func whole(_ sequence: Int, _ expected: [String]) throws {
        var machine = try machine("movie.", after: [.movie: 4])
        // That the topic's last event was had proves nothing about the others.
        #expect(try short(machine.handle(event("movie.AAAAAAAA", sequence, previous: 3))) == expected)
    }

    @Test(
        "in a part of a stream, an event is delivered if the previous one with its topic was received",
        arguments: [(0, ["movie 9"]), (4, ["movie 9"]), (5, ["fetch movie"]), (7, ["movie 9"]), (8, ["fetch movie"])])
    func filtered(_ previous: Int, _ expected: [String]) throws {
        var machine = try machine("movie.A", after: [.movie: 4])
        #expect(try short(machine.handle(event("movie.AAAAAAAA", 7, previous: 2))) == ["movie 7"])
        #expect(try short(machine.handle(event("movie.AAAAAAAA", 9, previous: previous))) == expected)
        #expect(try short(machine.handle(event("movie.AAAAAAAA", 7, previous: 2))) == [])
    }

    @Test("a position records events received out of order and advances when they are contiguous")
    func beyond() throws {
        var machine = try machine("movie.A", after: [.movie: 4])
        for (sequence, previous) in [(7, 2), (6, 0)] {
            let letter = sequence == 7 ? "A" : "B"
            _ = machine.handle(try event("movie.A\(letter)AAAAAA", sequence, previous: previous))
        }
        #expect(machine.position?[.movie].after.value == 4)
        #expect(machine.position?[.movie].outOfOrder == [try number(6), try number(7)])
        #expect(try short(machine.handle(event("movie.ACAAAAAA", 5))) == ["movie 5"])
        #expect(machine.position?[.movie] == StreamCursor(after: try number(7)))
    }

    @Test(
        "a heartbeat reveals events missing at the end of each subscribed stream",
        arguments: [
            ([.movie: 4, .poster: 2], ["live"]),
            ([.movie: 4, .poster: 2, .ranking: 99], ["live"]),
            ([.movie: 5, .poster: 2], ["fetch movie"]),
            ([.movie: 5, .poster: 3], ["fetch movie", "fetch poster"]),
            ([.movie: 3], ["live"]),
        ] as [([Stream: Int], [String])])
    func heartbeats(_ positions: [Stream: Int], _ expected: [String]) throws {
        var machine = try machine("movie.", "poster.", after: [.movie: 4, .poster: 2])
        #expect(try short(machine.handle(heartbeat(positions))) == expected)
    }

    @Test("a page delivers its new events and requests the next page; the last one makes the subscription live")
    func pages() throws {
        var machine = try machine("movie.A", "movie.B", after: [.movie: 4])
        #expect(try short(machine.handle(event("movie.AAAAAAAA", 7))) == ["movie 7"])
        #expect(try short(machine.handle(heartbeat([.movie: 12]))) == ["fetch movie"])
        #expect(machine.sequence(in: .movie).value == 4)
        let first = try page(
            [event("movie.AAAAAAAA", 5), event("movie.CCCCCCCC", 6), event("movie.AAAAAAAA", 7)], to: 8, more: true)
        #expect(short(machine.handle(first, of: .movie)) == ["movie 5", "fetch movie"])
        #expect(machine.sequence(in: .movie).value == 8)
        let second = try page([event("movie.BBBBBBBB", 11)], to: 12)
        #expect(short(machine.handle(second, of: .movie)) == ["movie 11", "live"])
        #expect(machine.position?[.movie] == StreamCursor(after: try number(12)))
        #expect(try short(machine.handle(heartbeat([.movie: 12]))) == [])
    }

    @Test("the position is after exactly the delivered items")
    func positions() throws {
        var machine = try machine("movie.", after: [.movie: 4])
        let page = try page((5...7).map { try event("movie.AAAAAAAA", $0) }, to: 7)
        #expect(short(machine.handle(page, of: .movie)) == ["movie 5", "movie 6", "movie 7"])
        #expect(machine.position?[.movie] == StreamCursor(after: try number(7)))
        #expect(try short(machine.handle(event("movie.AAAAAAAA", 8, previous: 7))) == ["movie 8"])
        #expect(machine.position?[.movie] == StreamCursor(after: try number(8)))
        #expect(try short(machine.handle(event("movie.AAAAAAAA", 10, previous: 8))) == ["fetch movie"])
        #expect(machine.position?[.movie] == StreamCursor(after: try number(8)))
    }

    @Test("the log is read when too many events were delivered out of order")
    func limit() throws {
        var machine = try machine("movie.A", after: [.movie: 0])
        for index in 1...SubscriptionStateMachine.outOfOrderLimit {
            #expect(try machine.handle(event("movie.AAAAAAAA", index * 2)).items.count == 1)
        }
        #expect(try short(machine.handle(event("movie.AAAAAAAA", 9_999))) == ["fetch movie"])
    }

    @Test("from the beginning, the first heartbeat starts reading the log")
    func beginning() throws {
        var machine = SubscriptionStateMachine(filter: TopicFilter(prefixes: [""]), position: nil)
        #expect(try short(machine.handle(event("movie.AAAAAAAA", 5))) == [])
        #expect(try short(machine.handle(heartbeat([.movie: 5, .ranking: 2]))) == ["fetch ranking", "fetch movie"])
        #expect(machine.sequence(in: .movie) == .zero)
    }

    @Test("a new log is accepted when a reply comes from it, and read from its beginning")
    func newLog() throws {
        var machine = try machine("movie.", after: [.movie: 4])
        #expect(try short(machine.handle(event("movie.AAAAAAAA", 5, epoch: "new"))) == [])
        #expect(try short(machine.handle(heartbeat([.movie: 9], epoch: "new"))) == ["fetch movie"])
        #expect(machine.position?.epoch == Self.epoch)
        let beside = try page([event("movie.AAAAAAAA", 5, epoch: "new")], to: 9, epoch: "new")
        #expect(short(machine.handle(beside, of: .movie)) == ["new log new", "fetch movie"])
        #expect(machine.position == LogCursor(epoch: "new"))
        // What was still on its way from the old log.
        #expect(try short(machine.handle(event("movie.AAAAAAAA", 5))) == [])
        #expect(try short(machine.handle(heartbeat([.movie: 4]))) == ["fetch movie"])
        let fresh = try page([event("movie.AAAAAAAA", 1, epoch: "new")], to: 1, epoch: "new")
        #expect(short(machine.handle(fresh, of: .movie)) == ["movie 1"])
        #expect(try short(machine.handle(heartbeat([.movie: 1], epoch: "new"))) == ["live"])
    }

    @Test(
        "prefixes are grouped by stream, and the log is read by their common prefix",
        arguments: [
            ([""], Stream.allCases, Stream.allCases, ""),
            (["movie."], [.movie], [.movie], ""),
            (["mov"], [.movie], [.movie], ""),
            (["movie.A", "movie"], [.movie], [.movie], ""),
            (["product"], [.products, .product], [.products, .product], ""),
            (["movie.ABC", "movie.ABD", "poster.X"], [.movie, .poster], [], "movie.AB"),
            (["movie.A", "movie.B"], [.movie], [], "movie."),
            (["films.", "heartbeat."], [], [], ""),
            ([], [], [], ""),
        ] as [([String], [Stream], [Stream], String)])
    func topicFilter(_ prefixes: [String], _ streams: [Stream], _ whole: [Stream], _ common: String) {
        let filter = TopicFilter(prefixes: prefixes)
        #expect(filter.streams == streams)
        #expect(streams.filter(filter.isWhole) == whole)
        #expect(filter.commonPrefix(in: .movie) == common)
    }
}
