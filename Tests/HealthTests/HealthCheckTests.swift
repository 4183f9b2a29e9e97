import Concurrency
import TestSupport
import Testing

@testable import Health

@Suite(.patience) struct HealthCheckTests {
    /// A check that returns when a test calls `finish`, and counts its runs.
    private final class ManualCheck: Sendable {
        let runs = Locked(0)
        private let (results, result) = AsyncStream.makeStream(of: String.self)

        func run() async -> String? {
            runs.withLock { $0 += 1 }
            for await result in results { return result }
            return nil
        }

        func finish(_ reason: String) { result.yield(reason) }
    }

    private let manual = ManualCheck()
    private let clock = ManualClock()

    @Test("a check without an answer in time has failed")
    func late() async {
        let check = HealthCheck("test", within: .seconds(2), clock: clock) { [manual] in await manual.run() }
        async let reason = check.failureReason()
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(2))
        #expect(await reason == "test: no answer within 2 s")
    }

    @Test(
        "callers at the same time share one run, those of the next second its result, and the next one starts a new run"
    )
    func shared() async {
        let check = HealthCheck("test", within: .seconds(2), clock: clock) { [manual] in await manual.run() }
        async let first = check.failureReason()
        async let second = check.failureReason()
        await clock.sleepers(atLeast: 2)
        manual.finish("test: dark")
        #expect(await [first, second] == ["test: dark", "test: dark"])
        clock.advance(by: .milliseconds(900))
        for _ in 0..<100 { #expect(await check.failureReason() == "test: dark") }
        #expect(manual.runs.withLock { $0 } == 1)
        clock.advance(by: .milliseconds(100))
        manual.finish("test: cloudy")
        #expect(await check.failureReason() == "test: cloudy")
        #expect(manual.runs.withLock { $0 } == 2)
    }

    @Test("a hanging check runs once, however often it is called")
    func hanging() async {
        let check = HealthCheck("test", within: .seconds(2), clock: clock) { [manual] in await manual.run() }
        for _ in 0..<3 {
            async let reason = check.failureReason()
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(2))
            #expect(await reason == "test: no answer within 2 s")
        }
        #expect(manual.runs.withLock { $0 } == 1)
        async let reason = check.failureReason()
        await clock.sleepers(atLeast: 1)
        manual.finish("test: awake")
        #expect(await reason == "test: awake")
    }
}
