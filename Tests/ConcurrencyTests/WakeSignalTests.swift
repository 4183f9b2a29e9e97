import TestSupport
import Testing

@testable import Concurrency

@Suite(.patience) struct WakeSignalTests {
    private let clock = ManualClock()
    private let signal = WakeSignal()
    private let calls = AsyncCondition(0)

    /// Runs the loop, whose body counts its calls and sleeps a minute.
    private func runLoop(after pause: Duration = .zero) async {
        await signal.runLoop(after: pause, clock) {
            calls.update { $0 += 1 }
            return .seconds(60)
        }
    }

    @Test("the loop runs when its pause has passed, and not before")
    func time() async {
        async let loop: Void = runLoop(after: .seconds(10))
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(9))
        #expect(calls.read(\.self) == 0)
        clock.advance(by: .seconds(1))
        #expect(await calls.wait { $0 == 1 })
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(60))
        #expect(await calls.wait { $0 == 2 })
        signal.stop()
        await loop
    }

    @Test("a signal cuts a pause short, and several before the loop begins are one")
    func signals() async {
        for _ in 0..<3 { signal.signal() }
        async let loop: Void = runLoop(after: .seconds(10))
        #expect(await calls.wait { $0 == 1 })
        await clock.sleepers(atLeast: 1)
        signal.signal()
        #expect(await calls.wait { $0 == 2 })
        signal.stop()
        await loop
        #expect(calls.read(\.self) == 2)
    }

    @Test("a stopped loop does not begin, and isStopped is true")
    func stopped() async {
        #expect(!signal.isStopped)
        signal.stop()
        #expect(signal.isStopped)
        await runLoop(after: .seconds(10))
        await signal.waitForStop()
        #expect(calls.read(\.self) == 0)
    }

    @Test("cancellation ends the loop and the wait for the stop")
    func cancellation() async {
        let loop = Task { await runLoop(after: .seconds(10)) }
        await clock.sleepers(atLeast: 1)
        loop.cancel()
        await loop.value
        let other = WakeSignal()
        let wait = Task { await other.waitForStop() }
        wait.cancel()
        await wait.value
        #expect(!other.isStopped)
    }
}
