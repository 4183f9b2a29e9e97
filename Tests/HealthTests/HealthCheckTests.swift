import Concurrency
import TestSupport
import Testing

@testable import Health

@Suite(.timeLimit(.minutes(5))) struct HealthCheckTests {
    /// Something to look at that answers when it is told to, and counts who looks.
    private final class Oracle: Sendable {
        let looks = Locked(0)
        private let (answers, answer) = AsyncStream.makeStream(of: String.self)

        func look() async -> String? {
            looks.withLock { $0 += 1 }
            for await answer in answers { return answer }
            return nil
        }

        func say(_ text: String) { answer.yield(text) }
    }

    private let oracle = Oracle()
    private let clock = ManualClock()

    @Test("what does not answer in time does not hold")
    func late() async {
        let check = HealthCheck("oracle", within: .seconds(2), clock: clock) { [oracle] in await oracle.look() }
        async let reason = check.reason()
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(2))
        #expect(await reason == "oracle: no answer within 2 s")
    }

    @Test("who asks at the same time shares one look, and the next look is a new one")
    func shared() async {
        let check = HealthCheck("oracle", within: .seconds(2), clock: clock) { [oracle] in await oracle.look() }
        async let first = check.reason()
        async let second = check.reason()
        await clock.sleepers(atLeast: 2)
        oracle.say("oracle: dark")
        #expect(await [first, second] == ["oracle: dark", "oracle: dark"])
        #expect(oracle.looks.withLock { $0 } == 1)
        oracle.say("oracle: cloudy")
        #expect(await check.reason() == "oracle: cloudy")
        #expect(oracle.looks.withLock { $0 } == 2)
    }

    @Test("what hangs is asked once, however often somebody wants to know")
    func hanging() async {
        let check = HealthCheck("oracle", within: .seconds(2), clock: clock) { [oracle] in await oracle.look() }
        for _ in 0..<3 {
            async let reason = check.reason()
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(2))
            #expect(await reason == "oracle: no answer within 2 s")
        }
        #expect(oracle.looks.withLock { $0 } == 1)
        async let reason = check.reason()
        await clock.sleepers(atLeast: 1)
        oracle.say("oracle: awake")
        #expect(await reason == "oracle: awake")
    }
}
