import Concurrency

/// Single flight: callers with the same key share one run of an operation.
///
/// A caller that is cancelled gets its error at once and leaves the others alone; when the last one has left, the run
/// is cancelled, and whoever comes next begins another.
final class Flights: Sendable {
    /// What makes two calls the same: the result's type as well, so that it fits all who share it.
    struct Key: Hashable, Sendable {
        let service: String
        let request: HTTPRequest
        let value: ObjectIdentifier

        /// Feeds what tells requests apart; all of it takes its time.
        func hash(into hasher: inout Hasher) {
            hasher.combine(request.url)
            for item in request.query { hasher.combine(item.value) }
        }
    }

    typealias Outcome = Result<any Sendable, UpstreamError>
    private typealias Ticket = UInt64

    private struct Flight {
        let number: Ticket
        let task: Task<Void, Never>
        var callers: [Ticket: CheckedContinuation<Outcome, Never>]
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

    private let executor: (any TaskExecutor)?
    private let state = Locked(State())

    /// Has operations run where `executor` says.
    init(on executor: (any TaskExecutor)? = nil) {
        self.executor = executor
    }

    /// Runs `operation`, or waits for the run that `key` already has.
    func share<Value: Sendable>(
        _ key: Key, _ operation: @escaping @Sendable () async throws(UpstreamError) -> Value
    ) async throws(UpstreamError) -> Value {
        let ticket = state.withLock { $0.makeTicket() }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                join(key, ticket, continuation) {
                    do throws(UpstreamError) {
                        return .success(try await operation())
                    } catch {
                        return .failure(error)
                    }
                }
                // The handler below may have run before there was anybody to take out.
                if Task.isCancelled { leave(key, ticket) }
            }
        } onCancel: {
            leave(key, ticket)
        }
        guard let value = try outcome.get() as? Value else { preconditionFailure("a flight's key names its type") }
        return value
    }

    /// How many callers wait.
    var callers: Int {
        state.withLock { state in state.flights.values.reduce(0) { $0 + $1.callers.count } }
    }

    /// Ends all flights as cancelled and lets no more begin.
    func close() {
        let flights = state.withLock { state in
            defer { state.flights = [:] }
            state.isClosed = true
            return state.flights
        }
        for (key, flight) in flights {
            flight.task.cancel()
            for caller in flight.callers.values { caller.resume(returning: .failure(.cancelled(key.service))) }
        }
    }

    private func join(
        _ key: Key, _ ticket: Ticket, _ caller: CheckedContinuation<Outcome, Never>,
        _ run: @escaping @Sendable () async -> Outcome
    ) {
        let isClosed = state.withLock { state in
            if state.isClosed { return true }
            if let place = state.flights.index(forKey: key) {
                state.flights.values[place].callers[ticket] = caller
            } else {
                // Made under the lock, so that the flight is known before it can land.
                let number = state.makeTicket()
                let task = Task(executorPreference: executor) { self.land(key, number, await run()) }
                state.flights[key] = Flight(number: number, task: task, callers: [ticket: caller])
            }
            return false
        }
        if isClosed { caller.resume(returning: .failure(.cancelled(key.service))) }
    }

    private func leave(_ key: Key, _ ticket: Ticket) {
        let (caller, abandoned) = state.withLock {
            state -> (CheckedContinuation<Outcome, Never>?, Task<Void, Never>?) in
            guard let place = state.flights.index(forKey: key),
                let caller = state.flights.values[place].callers.removeValue(forKey: ticket)
            else { return (nil, nil) }
            guard state.flights.values[place].callers.isEmpty else { return (caller, nil) }
            return (caller, state.flights.remove(at: place).value.task)
        }
        abandoned?.cancel()
        caller?.resume(returning: .failure(.cancelled(key.service)))
    }

    private func land(_ key: Key, _ number: Ticket, _ outcome: Outcome) {
        let callers = state.withLock { state -> [CheckedContinuation<Outcome, Never>] in
            // An abandoned flight may land after another with its key has begun.
            guard let place = state.flights.index(forKey: key), state.flights.values[place].number == number else {
                return []
            }
            return Array(state.flights.remove(at: place).value.callers.values)
        }
        for caller in callers { caller.resume(returning: outcome) }
    }
}
