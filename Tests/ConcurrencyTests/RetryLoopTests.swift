import TestSupport
import Testing

@testable import Concurrency

@Suite(.patience) struct RetryLoopTests {
    private struct Refused: Error, Equatable {
        let attempt: Int
    }

    private let clock = ManualClock()
    private let attempts = Locked(0)

    private func attempt(failures: Int) throws -> Int {
        let attempt = attempts.withLock { attempts in
            attempts += 1
            return attempts
        }
        if attempt <= failures { throw Refused(attempt: attempt) }
        return attempt
    }

    @Test("an operation that succeeds at once causes no pause")
    func success() async {
        #expect(
            await RetryLoop(clock: clock).run {
                try attempt(failures: 0)
            } onFailure: { _ in
            } == 1)
    }

    @Test("pauses double from the first to the longest, and each error is reported before its pause")
    func pauses() async {
        let errors = Locked<[Int]>([])
        async let value = RetryLoop(clock: clock).run {
            try attempt(failures: 9)
        } onFailure: { error in
            errors.withLock { $0.append((error as? Refused)?.attempt ?? 0) }
        }
        for (index, milliseconds) in [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000].enumerated() {
            await clock.sleepers(atLeast: 1)
            #expect(errors.withLock(\.count) == index + 1)
            clock.advance(by: .milliseconds(milliseconds - 1))
            #expect(attempts.withLock { $0 } == index + 1)
            clock.advance(by: .milliseconds(1))
        }
        #expect(await value == 10)
        #expect(errors.withLock { $0 } == Array(1...9))
    }

    @Test("cancellation ends a pause and the loop")
    func cancelled() async {
        let task = Task {
            await RetryLoop(clock: clock).run {
                try attempt(failures: 2)
            } onFailure: { _ in
            }
        }
        await clock.sleepers(atLeast: 1)
        task.cancel()
        #expect(await task.value == nil)
        #expect(attempts.withLock { $0 } == 1)
    }

    @Test("a task that is already cancelled makes one attempt")
    func cancelledBefore() async {
        let task = Task {
            try? await Task.sleep(for: .seconds(86_400))  // until it is cancelled
            return await RetryLoop(clock: clock).run {
                try attempt(failures: 2)
            } onFailure: { _ in
            }
        }
        task.cancel()
        #expect(await task.value == nil)
        #expect(attempts.withLock { $0 } == 1)
    }
}
