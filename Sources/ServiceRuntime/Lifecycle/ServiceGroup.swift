/// A part of a process that runs as long as the process does, such as a server or a loop.
///
/// A service opens what it needs (an address, a database) when it is made, so that nothing runs if that fails.
public protocol Service: Sendable {
    /// Runs until ``stop()`` is called, the service fails, or the task is cancelled.
    func run() async throws

    /// Requests a graceful stop: the service accepts no new work, finishes what it has begun, and returns from `run()`.
    ///
    /// May return before `run()` does.
    func stop() async
}

/// A service made of two closures.
public struct SimpleService: Service {
    private let runBody: @Sendable () async throws -> Void
    private let stopBody: @Sendable () async -> Void

    /// Makes a service.
    public init(_ run: @escaping @Sendable () async throws -> Void, stop: @escaping @Sendable () async -> Void) {
        runBody = run
        stopBody = stop
    }

    /// Runs until it is stopped.
    public func run() async throws {
        try await runBody()
    }

    /// Requests a graceful stop.
    public func stop() async {
        await stopBody()
    }
}

/// Runs services together. They start in order and stop in reverse order, each after all later ones have ended.
///
/// The group stops when it is asked to, when any service ends or fails, or when its task is cancelled. Services that are
/// still running after the grace period are cancelled. A service that ignores cancellation blocks the group; a second
/// signal ends the process then (`TerminationSignals`).
public struct ServiceGroup: Sendable {
    private enum GroupEvent: Sendable {
        case serviceEnded(Int, (any Error)?)
        case stopRequested
        case stopReturned
        case graceExpired
    }

    private let services: [any Service]
    private let grace: Duration
    private let clock: any Clock<Duration>

    /// Makes a group.
    public init(
        _ services: [any Service], grace: Duration, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.services = services
        self.grace = grace
        self.clock = clock
    }

    /// Runs the services until `stopRequested` returns or one of them ends, and then stops them all.
    ///
    /// - Throws: the error of the first service that failed.
    public func run(until stopRequested: @escaping @Sendable () async -> Void) async throws {
        let failure = await withTaskGroup(of: GroupEvent.self) { tasks -> (any Error)? in
            for (index, service) in services.enumerated() {
                // Immediate, so that each service has begun before the next does.
                tasks.addImmediateTask {
                    do {
                        try await service.run()
                        return .serviceEnded(index, nil)
                    } catch {
                        return .serviceEnded(index, error)
                    }
                }
            }
            tasks.addTask {
                await stopRequested()
                return .stopRequested
            }
            return await stopServices(in: &tasks)
        }
        if let failure { throw failure }
    }

    /// Waits for the first reason to stop, stops all services, and returns the first failure.
    private func stopServices(in tasks: inout TaskGroup<GroupEvent>) async -> (any Error)? {
        var running = Set(services.indices)
        var isStopping = false
        var failure: (any Error)?
        while !running.isEmpty, let event = await tasks.next() {
            switch event {
            case .serviceEnded(let index, let error):
                running.remove(index)
                // Once the group is stopping, it has caused the cancellation itself.
                if let error, failure == nil, !(isStopping && error is CancellationError) { failure = error }
                guard !isStopping || !running.contains(where: { $0 > index }) else { continue }
            case .stopRequested where isStopping, .stopReturned: continue
            case .stopRequested: break
            case .graceExpired:
                tasks.cancelAll()
                continue
            }
            if !isStopping {
                isStopping = true
                tasks.addTask { [clock, grace] in
                    // Fails only by cancellation: the group has stopped within the grace period.
                    try? await clock.sleep(for: grace)
                    return .graceExpired
                }
            }
            if let service = running.max().map({ services[$0] }) {
                tasks.addTask {
                    await service.stop()
                    return .stopReturned
                }
            }
        }
        tasks.cancelAll()
        return failure
    }
}
