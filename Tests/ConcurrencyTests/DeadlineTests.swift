import Concurrency
import TestSupport
import Testing

@Suite(.patience) struct DeadlineTests {
    private struct Late: Error {}
    private struct Broken: Error {}

    @Test("an operation that ends in time returns its value or throws its own error")
    func inTime() async throws {
        #expect(try await withDeadline(.seconds(1), orThrow: Late(), clock: ManualClock()) { 7 } == 7)
        await #expect(throws: Broken.self) {
            try await withDeadline(.seconds(1), orThrow: Late(), clock: ManualClock()) { throw Broken() }
        }
    }

    @Test("an operation that takes too long is cancelled")
    func late() async throws {
        let clock = ManualClock()
        let forever = ManualClock()
        let work = Task {
            try await withDeadline(.seconds(1), orThrow: Late(), clock: clock) {
                try await forever.sleep(for: .seconds(1))
            }
        }
        await clock.sleepers()
        await forever.sleepers()
        clock.advance(by: .milliseconds(999))
        clock.advance(by: .milliseconds(1))
        await #expect(throws: Late.self) { try await work.value }
    }

    @Test("cancellation reaches the operation and does not throw the deadline's error")
    func cancellation() async throws {
        let (clock, forever) = (ManualClock(), ManualClock())
        let work = Task {
            try await withDeadline(.seconds(1), orThrow: Late(), clock: clock) {
                try await forever.sleep(for: .seconds(1))
            }
        }
        await forever.sleepers()
        work.cancel()
        await #expect(throws: CancellationError.self) { try await work.value }
    }
}
