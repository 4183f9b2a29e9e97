import Concurrency

/// Something that must hold for a process to live, or to do its job, and the way to find out.
///
/// Whoever asks has an answer within a limit of time, whatever the check waits for. All who ask at the same time share
/// one look at things, so a disk that hangs is asked once, however often health is probed.
public final class HealthCheck: Sendable {
    /// What the check is about, in one word.
    public let name: String
    private let limit: Duration
    private let clock: any Clock<Duration>
    private let look: @Sendable () async -> String?
    // What hangs goes on without those who gave up, and is joined by those who come.
    private let flight = SingleFlight<String, String?>(cancelsAbandonedRuns: false)

    /// Makes a check; `reason` tells in one line why it does not hold, and nil if it does.
    public init(
        _ name: StaticString, within limit: Duration = .seconds(2), clock: any Clock<Duration> = ContinuousClock(),
        reason: @escaping @Sendable () async -> String?
    ) {
        self.name = name.description
        self.limit = limit
        self.clock = clock
        look = reason
    }

    /// Why it does not hold at the moment, in one line, or nil if it does.
    public func reason() async -> String? {
        let cancelled = "\(name): nobody waited for the answer"
        return await withTaskGroup(of: String?.self) { tasks in
            // At once, so that those who ask together share a look whatever comes first.
            tasks.addImmediateTask { [name, flight, look] in
                do throws(CancellationError) { return try await flight.run(name, look) } catch { return cancelled }
            }
            tasks.addTask { [name, clock, limit] in
                guard (try? await clock.sleep(for: limit)) != nil else { return cancelled }
                return "\(name): no answer within \(limit.components.seconds) s"
            }
            defer { tasks.cancelAll() }
            return await tasks.next() ?? nil
        }
    }
}

extension [HealthCheck] {
    /// Why those that do not hold do not, by their names; they are looked at together.
    func reasons() async -> [(check: HealthCheck, reason: String?)] {
        await withTaskGroup { tasks in
            for (index, check) in enumerated() {
                tasks.addTask { (index, await check.reason()) }
            }
            var reasons = map { (check: $0, reason: String?.none) }
            for await (index, reason) in tasks { reasons[index].reason = reason }
            return reasons
        }
    }
}
