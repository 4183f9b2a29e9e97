import EventStoreTestSupport
import FoundationEssentials
import JSONCoding
import TestSupport
import Testing
import ZeroMQ

@testable import Contract
@testable import EventStore
@testable import Messaging

@Suite(.patience) struct PublisherTests {
    private let noon = Date(timeIntervalSince1970: 1_717_556_400)

    private func heartbeat(_ message: Message) throws -> Heartbeat? {
        guard message.text(at: 0)?.hasPrefix(Heartbeat.topicPrefix) == true else { return nil }
        struct Content: Decodable { let data: Heartbeat }
        return try JSON.decode(Content.self, from: message.frames[1]).data
    }

    @Test("events are published as logged, and no heartbeat has the position of an unsent event")
    func order() async throws {
        try await withIO { io in
            var log = try await EventLogFixture(in: TemporaryFolder())
            log.time = noon
            let socket = try await io.bind(.publisher)
            let publisher = Publisher(socket, of: log.log, positions: [:])
            let subscriber = try await io.open(.subscriber, connect: socket.addresses, subscriptions: [""])
            await socket.waitForSubscription()
            let events = try await log.append((0..<200).map { _ in try draft("movie.20240001") })
            async let beating: Void = { for _ in 0..<200 { publisher.sendHeartbeat(at: noon) } }()
            for event in events { publisher.publish([event]) }
            await beating
            publisher.sendHeartbeat(at: noon)

            var sent: [LoggedEvent] = []
            for message in await subscriber.next(401) {
                if let heartbeat = try heartbeat(message) {
                    #expect(heartbeat.epoch == log.log.epoch)
                    #expect(heartbeat.positions[.movie] == sent.last?.sequence)
                } else {
                    let topic = try #require(message.text(at: 0).flatMap { Topic($0) })
                    let sequence = try #require(SequenceNumber(UInt64(sent.count + 1)))
                    sent.append(LoggedEvent(topic: topic, sequence: sequence, body: message.frames[1]))
                }
            }
            #expect(sent == events)
        }
    }

    @Test("events published again do not move a position back")
    func again() async throws {
        try await withIO { io in
            let log = try await EventLogFixture(in: TemporaryFolder())
            let socket = try await io.bind(.publisher)
            let events = try await log.append(draft("movie.20240001"), draft("movie.20240002"))
            let publisher = Publisher(socket, of: log.log, positions: try await log.positions())
            let subscriber = try await io.open(.subscriber, connect: socket.addresses, subscriptions: ["heartbeat."])
            await socket.waitForSubscription()
            publisher.publish([events[0]])
            publisher.sendHeartbeat(at: noon)
            let heartbeats = try await subscriber.next(1).map(heartbeat)
            #expect(heartbeats.map { $0?.positions[.movie] } == [events[1].sequence])
        }
    }

    @Test("a heartbeat is sent every second, and at once after a new subscription")
    func rhythm() async throws {
        try await withIO { io in
            let log = try await EventLogFixture(in: TemporaryFolder())
            let socket = try await io.bind(.publisher)
            let publisher = Publisher(socket, of: log.log, positions: [:])
            let clock = ManualClock()
            let running = Task { await publisher.run(now: { clock.date }, clock: clock) }
            let first = try await io.open(.subscriber, connect: socket.addresses, subscriptions: ["heartbeat."])
            let welcome = try #require(await first.next(1).first)
            #expect(welcome.text(at: 0) == "heartbeat.worker")
            await clock.sleepers()
            clock.advance(by: .seconds(1))
            #expect(await first.next(1).count == 1)
            let second = try await io.open(.subscriber, connect: socket.addresses, subscriptions: ["heartbeat."])
            #expect(await second.next(1).count == 1)
            await socket.close()
            await running.value
        }
    }

    @Test("a heartbeat is a CloudEvent that belongs to no stream")
    func envelope() throws {
        let message = Message(
            Heartbeat(epoch: "e", positions: [.movie: .zero]).frames(from: "/marquee/worker", at: noon))
        #expect(message.text(at: 0) == "heartbeat.worker")
        #expect(
            message.text(at: 1) == #"{"specversion":"1.0","id":"e/heartbeat/2024-06-05T03:00:00.000Z","#
                + #""source":"/marquee/worker","type":"marquee.heartbeat.v1","subject":"worker","#
                + #""time":"2024-06-05T03:00:00.000Z","datacontenttype":"application/json","#
                + #""data":{"epoch":"e","positions":{"movie":"0000000000000000"}}}"#)
    }
}
