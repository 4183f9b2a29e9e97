/// Shares one run of an operation, and its value, among concurrent callers with the same key.
///
/// A run begins with the first caller, in a task of its own, and ends for all callers at once. A call after that begins
/// another run. A caller that is cancelled leaves at once and does not disturb the others. There is no limit on keys or
/// callers, and nothing is kept once a run has ended.
///
/// All that callers share is `Value`: for an operation that fails, make it a `Result`.
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The value of a run once it has ended; an error if the single flight was closed before.
    private typealias Run = AsyncCondition<Result<Value, CancellationError>?>

    private struct Flight {
        let run: Run
        let task: Task<Void, Never>
        var callerCount = 0
    }

    private struct State {
        var flights: [Key: Flight] = [:]
        var isClosed = false
    }

    private let cancelsAbandonedRuns: Bool
    private let state = Locked(State())

    /// Makes a single flight without runs.
    ///
    /// - Parameter cancelsAbandonedRuns: if true, a run is cancelled when its last caller has left, and the next caller
    ///   begins another; if false, the run goes on, and the next caller joins it.
    public init(cancelsAbandonedRuns: Bool = true) {
        self.cancelsAbandonedRuns = cancelsAbandonedRuns
    }

    /// The number of waiting callers.
    public var callerCount: Int {
        state.withLock { state in state.flights.values.reduce(0) { $0 + $1.callerCount } }
    }

    /// Runs `operation`, or joins the current run of `key`; returns the value of the run.
    ///
    /// - Throws: `CancellationError` at once if the task is cancelled, or after ``close()``.
    public func run(
        _ key: Key, _ operation: @escaping @Sendable () async -> Value
    ) async throws(CancellationError) -> Value {
        let run = state.withLock { state -> Run? in
            guard !state.isClosed else { return nil }
            // The task is made under the lock, so that the flight is registered before it can end.
            var flight = state.flights[key] ?? makeFlight(key, operation)
            flight.callerCount += 1
            state.flights[key] = flight
            return flight.run
        }
        guard let run else { throw CancellationError() }
        defer { leave(key, run) }
        guard let result = await run.waitForValue({ $0 }) else { throw CancellationError() }
        return try result.get()
    }

    /// Cancels all runs, and fails their callers and all later ones.
    public func close() {
        let flights = state.withLock { state in
            defer { state.flights = [:] }
            state.isClosed = true
            return state.flights
        }
        for flight in flights.values {
            flight.task.cancel()
            flight.run.update { $0 = .failure(CancellationError()) }
        }
    }

    private func makeFlight(_ key: Key, _ operation: @escaping @Sendable () async -> Value) -> Flight {
        let run = Run(nil)
        let task = Task {
            let value = await operation()
            state.withLock { state in
                // An abandoned run may end after another of its key has begun.
                if state.flights[key]?.run === run { state.flights[key] = nil }
            }
            run.update { $0 = $0 ?? .success(value) }
        }
        return Flight(run: run, task: task)
    }

    /// Counts a caller less, if the run has not ended.
    private func leave(_ key: Key, _ run: Run) {
        let abandoned = state.withLock { state -> Task<Void, Never>? in
            guard var flight = state.flights[key], flight.run === run else { return nil }
            flight.callerCount -= 1
            let isAbandoned = cancelsAbandonedRuns && flight.callerCount == 0
            state.flights[key] = isAbandoned ? nil : flight
            return isAbandoned ? flight.task : nil
        }
        abandoned?.cancel()
    }
}
