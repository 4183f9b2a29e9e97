import FoundationEssentials
import Locking
import TestSupport
import Testing
import ZeroMQ

@testable import Events

/// The cases in which a plain subscriber was measured to lose 65 % and 79 % of the events: none is lost here.
@Suite(.timeLimit(.minutes(5))) struct MeasuredLossTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("a late joiner with default marks gets all 50,000 events")
    func lateJoiner() async throws {
        let station = try await Station(Log(in: folder))
        let events = try await station.write(requests(50_000), padding: 1_600)
        station.send(Array(events.prefix(30_000)))
        let subscription = try await station.subscription(to: ["request."], from: .beginning)
        async let numbers = subscription.numbers(upTo: 50_000)
        await station.waitForSubscriber(to: "request.done.")
        station.send(Array(events.suffix(20_000)))
        #expect(try await numbers == Array(1...50_000))
        await station.end()
    }

    @Test("a stall under 50,000 events of 2 kB costs nothing: what the queues dropped comes from the log")
    func stall() async throws {
        let station = try await Station(Log(in: folder))
        let repaired = Locked(0)
        let subscription = try await station.subscription(to: ["request."], from: .newest) { note in
            if case .repaired(_, let count) = note { repaired.withLock { $0 += count } }
        }
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let (stalls, stalled) = AsyncStream<Void>.makeStream()
        async let numbers = {
            var numbers: [UInt64] = []
            _ = try await subscription.read { delivery -> Bool? in
                switch delivery {
                case .live:
                    stalled.finish()
                    for await _ in gate {}
                case .event(let event, _): numbers.append(event.sequence.value)
                case .newLog: break
                }
                return numbers.count == 50_000 ? true : nil
            }
            return numbers
        }()
        for await _ in stalls {}
        let events = try await station.write(requests(50_000), padding: 1_600)
        for first in stride(from: 0, to: events.count, by: 5_000) { station.send(Array(events[first..<first + 5_000])) }
        opener.finish()
        #expect(try await numbers == Array(1...50_000))
        #expect(repaired.withLock { $0 } > 10_000)
        await station.end()
    }
}
