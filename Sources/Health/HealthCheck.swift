import Concurrency

/// Something that must hold for a process to live, or to do its job, and the way to find out.
///
/// Whoever asks has an answer within a limit of time, whatever the check waits for. All who ask at the same time share
/// one look at things, so a disk that hangs is asked once, however often health is probed.
public final class HealthCheck: Sendable {
    private struct State {
        var isLooking = false
        var nextID = 0
        var waiting: [Int: CheckedContinuation<String?, Never>] = [:]
    }

    /// What the check is about, in one word.
    public let name: String
    private let limit: Duration
    private let clock: any Clock<Duration>
    private let look: @Sendable () async -> String?
    private let state = Locked(State())

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
        var timer: Task<Void, Never>?
        let reason = await withCheckedContinuation { continuation in
            let (id, isFirst) = state.withLock { state in
                let id = state.nextID
                state.nextID += 1
                state.waiting[id] = continuation
                defer { state.isLooking = true }
                return (id, !state.isLooking)
            }
            // Tasks of their own, for what does not answer can't be waited for, and so has no caller to be a child of.
            if isFirst { Task { finish(with: await look()) } }
            timer = Task {
                guard (try? await clock.sleep(for: limit)) != nil else { return }  // answered in time
                give("\(name): no answer within \(limit.components.seconds) s", to: id)
            }
        }
        timer?.cancel()
        return reason
    }

    private func finish(with reason: String?) {
        let waiting = state.withLock { state in
            state.isLooking = false
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume(returning: reason) }
    }

    private func give(_ reason: String, to id: Int) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: reason)
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
