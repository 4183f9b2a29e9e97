/// Shares one run of an operation, and its value, among concurrent callers with the same key.
///
/// A run begins with the first caller, in a task of its own, and ends for all callers at once. A call after
/// that begins another run. A caller that is cancelled leaves at once and does not disturb the others. There is no limit on keys
/// or callers, and nothing is kept once a run has ended.
///
/// All that callers share is `Value`: for an operation that fails, make it a `Result`.
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private typealias Ticket = UInt64
    private typealias Caller = CheckedContinuation<Result<Value, CancellationError>, Never>

    private struct Flight {
        let number: Ticket
        let task: Task<Void, Never>
        var callers: [Ticket: Caller]
    }

    private struct State {
        var lastTicket: Ticket = 0
        var flights: [Key: Flight] = [:]
        var isClosed = false

        mutating func makeTicket() -> Ticket {
            lastTicket += 1
            return lastTicket
        }
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
        state.withLock { state in state.flights.values.reduce(0) { $0 + $1.callers.count } }
    }

    /// Runs `operation`, or joins the current run of `key`; returns the value of the run.
    ///
    /// - Throws: `CancellationError` at once if the task is cancelled, or after ``close()``.
    public func run(
        _ key: Key, _ operation: @escaping @Sendable () async -> Value
    ) async throws(CancellationError) -> Value {
        let ticket = state.withLock { $0.makeTicket() }
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                join(key, ticket, continuation, operation)
                // The cancellation handler may have run before the caller had joined.
                if Task.isCancelled { leave(key, ticket) }
            }
        } onCancel: {
            leave(key, ticket)
        }.get()
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
            for caller in flight.callers.values { caller.resume(returning: .failure(CancellationError())) }
        }
    }

    private func join(
        _ key: Key, _ ticket: Ticket, _ caller: Caller, _ operation: @escaping @Sendable () async -> Value
    ) {
        let isClosed = state.withLock { state in
            if state.isClosed { return true }
            if let index = state.flights.index(forKey: key) {
                state.flights.values[index].callers[ticket] = caller
            } else {
                // Made under the lock, so that the flight is registered before it can end.
                let number = state.makeTicket()
                let task = Task { self.end(key, number, await operation()) }
                state.flights[key] = Flight(number: number, task: task, callers: [ticket: caller])
            }
            return false
        }
        if isClosed { caller.resume(returning: .failure(CancellationError())) }
    }

    private func leave(_ key: Key, _ ticket: Ticket) {
        let (caller, abandoned) = state.withLock { state -> (Caller?, Task<Void, Never>?) in
            guard let index = state.flights.index(forKey: key),
                let caller = state.flights.values[index].callers.removeValue(forKey: ticket)
            else { return (nil, nil) }
            guard cancelsAbandonedRuns, state.flights.values[index].callers.isEmpty else { return (caller, nil) }
            return (caller, state.flights.remove(at: index).value.task)
        }
        abandoned?.cancel()
        caller?.resume(returning: .failure(CancellationError()))
    }

    private func end(_ key: Key, _ number: Ticket, _ value: Value) {
        let callers = state.withLock { state -> [Caller] in
            // An abandoned run may end after another of its key has begun.
            guard let index = state.flights.index(forKey: key), state.flights.values[index].number == number else {
                return []
            }
            return Array(state.flights.remove(at: index).value.callers.values)
        }
        for caller in callers { caller.resume(returning: .success(value)) }
    }
}
