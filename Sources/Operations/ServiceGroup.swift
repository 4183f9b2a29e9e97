/// Runs services together: they start in order and stop in reverse, each only after the ones behind it have ended.
///
/// The group ends when it is asked to, when a service ends by itself, when one fails, or when its task is cancelled.
/// Ends are graceful; what still runs after the grace is cancelled. A service that ignores its cancellation keeps the
/// group waiting, which a second signal ends (`TerminationSignals`).
public struct ServiceGroup: Sendable {
    private enum GroupEvent: Sendable {
        case ended(Int, (any Error)?)
        case asked
        case told
        case graceIsOver
    }

    private let services: [any Service]
    private let grace: Duration
    private let clock: any Clock<Duration>

    /// Makes a group; `grace` is what all services together have for a graceful end.
    public init(
        _ services: [any Service], grace: Duration, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.services = services
        self.grace = grace
        self.clock = clock
    }

    /// Runs the services until `asked` returns or one of them ends, and throws what the first to fail threw.
    public func run(until asked: @escaping @Sendable () async -> Void) async throws {
        let failure = await withTaskGroup(of: GroupEvent.self) { tasks -> (any Error)? in
            for (index, service) in services.enumerated() {
                // Immediate, so that each service has begun before the next does.
                tasks.addImmediateTask {
                    do {
                        try await service.run()
                        return .ended(index, nil)
                    } catch {
                        return .ended(index, error)
                    }
                }
            }
            tasks.addTask {
                await asked()
                return .asked
            }
            return await end(of: &tasks)
        }
        if let failure { throw failure }
    }

    /// Waits for the first reason to stop, stops, and returns the first failure.
    private func end(of tasks: inout TaskGroup<GroupEvent>) async -> (any Error)? {
        var running = Set(services.indices)
        var isStopping = false
        var failure: (any Error)?
        while !running.isEmpty, let happening = await tasks.next() {
            switch happening {
            case .ended(let index, let error):
                running.remove(index)
                // Once the end has begun, a cancellation is our own doing.
                if let error, failure == nil, !(isStopping && error is CancellationError) { failure = error }
                guard !isStopping || !running.contains(where: { $0 > index }) else { continue }
            case .asked where isStopping, .told: continue
            case .asked: break
            case .graceIsOver:
                tasks.cancelAll()
                continue
            }
            if !isStopping {
                isStopping = true
                tasks.addTask { [clock, grace] in
                    // Fails only by cancellation, when the group has ended before the grace has.
                    try? await clock.sleep(for: grace)
                    return .graceIsOver
                }
            }
            if let service = running.max().map({ services[$0] }) {
                tasks.addTask {
                    await service.stop()
                    return .told
                }
            }
        }
        tasks.cancelAll()
        return failure
    }
}
