import Health
import TestSupport
import Testing
import ZeroMQ

@testable import Notifier

@Suite struct WorkerPulseTests {
    @Test("a worker that is silent for five seconds is lost, and found again by its next beat", .timeLimit(.minutes(5)))
    func silence() async throws {
        let clock = ManualClock()
        let io = try IOThread()
        let events = try await io.open(.publisher, bind: ["tcp://127.0.0.1:*"])
        let pulse = try await WorkerPulse(io, address: events.addresses[0], clock: clock)
        #expect(await pulse.check.reason() == "worker: never heard of")
        async let running: Void = pulse.run()

        for _ in 0..<2 {
            await events.waitForSubscribers(to: "heartbeat.worker")
            events.post([Message([Array("heartbeat.worker".utf8), Array("{}".utf8)])])
            while await pulse.check.reason() != nil { await Task.yield() }
            clock.advance(by: .milliseconds(4_999))
            #expect(await pulse.check.reason() == nil)
            clock.advance(by: .milliseconds(1))
            #expect(await pulse.check.reason() == "worker: not heard of for 5 s")
        }

        await pulse.stop()
        try await running
        await io.shutdown()
    }
}
