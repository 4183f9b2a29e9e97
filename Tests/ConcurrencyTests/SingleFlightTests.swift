import TestSupport
import Testing

@testable import Concurrency

@Suite(.patience) struct SingleFlightTests {
    private let gate = AsyncCondition(false)
    private let runs = Locked(0)

    /// Waits for the gate or its cancellation, and returns which run it was; minus that if it was cancelled.
    private func operate() async -> Int {
        let run = runs.withLock { runs in
            runs += 1
            return runs
        }
        return await gate.wait { $0 } ? run : -run
    }

    private func callers(_ count: Int, of flight: SingleFlight<String, Int>) async throws {
        try await waitUntil("callers", look: { flight.callerCount }, is: { $0 == count })
    }

    @Test("callers of one key share a run, and of another key do not; the next caller begins another")
    func sharing() async throws {
        let flight = SingleFlight<String, Int>()
        let tasks = (0..<8).map { _ in Task { try await flight.run("a") { await operate() } } }
        try await callers(8, of: flight)
        try await waitUntil("the first run has begun") { runs.withLock { $0 } == 1 }
        async let other = flight.run("b") { await operate() }
        try await callers(9, of: flight)
        gate.update { $0 = true }
        for task in tasks { #expect(try await task.value == 1) }
        #expect(try await other == 2)
        #expect(try await flight.run("a") { await operate() } == 3)
        #expect(flight.callerCount == 0)
    }

    @Test("a caller that is cancelled leaves at once, and the others get the value")
    func oneLeaves() async throws {
        let flight = SingleFlight<String, Int>()
        let staying = Task { try await flight.run("a") { await operate() } }
        try await callers(1, of: flight)
        let leaving = Task { try await flight.run("a") { await operate() } }
        try await callers(2, of: flight)
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        gate.update { $0 = true }
        #expect(try await staying.value == 1)
    }

    @Test("when the last caller leaves the run is cancelled, and the next caller begins another")
    func allLeave() async throws {
        let flight = SingleFlight<String, Int>()
        let ended = AsyncCondition(0)
        let task = Task {
            try await flight.run("a") {
                let value = await operate()
                ended.update { $0 = value }
                return value
            }
        }
        try await callers(1, of: flight)
        try await waitUntil("the run waits") { gate.waiterCount == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await ended.wait { $0 == -1 })
        gate.update { $0 = true }
        #expect(try await flight.run("a") { await operate() } == 2)
    }

    @Test("a run that may go on without callers is joined by the next")
    func abandoned() async throws {
        let flight = SingleFlight<String, Int>(cancelsAbandonedRuns: false)
        let leaving = Task { try await flight.run("a") { await operate() } }
        try await callers(1, of: flight)
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        let joining = Task { try await flight.run("a") { await operate() } }
        try await callers(1, of: flight)
        gate.update { $0 = true }
        #expect(try await joining.value == 1)
        #expect(runs.withLock { $0 } == 1)
    }

    @Test("cancellation before the caller has joined is not lost")
    func cancelledBefore() async {
        let flight = SingleFlight<String, Int>()
        let task = Task {
            try? await Task.sleep(for: .seconds(86_400))  // until it is cancelled
            return try await flight.run("a") { await operate() }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(flight.callerCount == 0)
    }

    @Test("closing cancels the runs and fails their callers and all later ones")
    func close() async throws {
        let flight = SingleFlight<String, Int>()
        let tasks = ["a", "a", "b"].map { key in Task { try await flight.run(key) { await operate() } } }
        try await callers(3, of: flight)
        flight.close()
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        await #expect(throws: CancellationError.self) { try await flight.run("a") { await operate() } }
    }
}
