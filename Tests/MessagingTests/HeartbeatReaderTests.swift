import Concurrency
import TestSupport
import Testing
import ZeroMQ

@testable import Messaging

@Suite struct HeartbeatReaderTests {
    @Test("a worker without a heartbeat for five seconds is lost, until its next heartbeat", .patience)
    func silence() async throws {
        let clock = ManualClock()
        let io = try IOThread()
        let events = try await io.open(.publisher, bind: ["tcp://127.0.0.1:*"])
        let pulse = try await HeartbeatReader(io, of: "worker", addresses: events.addresses, clock: clock)
        #expect(pulse.problem == "worker: no heartbeat received yet")
        let found = Locked(0)
        async let running: Void = pulse.run { found.withLock { $0 += 1 } }

        for _ in 0..<2 {
            await events.waitForSubscription()
            events.post([Message([Array("heartbeat.worker".utf8), Array("{}".utf8)])])
            try await waitUntil("the heartbeat", look: { pulse.problem }, is: { $0 == nil })
            clock.advance(by: .milliseconds(4_999))
            #expect(pulse.problem == nil)
            clock.advance(by: .milliseconds(1))
            #expect(pulse.problem == "worker: no heartbeat for 5 s")
        }

        await pulse.close()
        await running
        #expect(found.withLock { $0 } == 2)
        await io.shutdown()
    }
}
