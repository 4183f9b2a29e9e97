import Foundation
public import FoundationEssentials

/// A clock that advances only by calls of a test. Sleeping tasks resume when it reaches their deadline.
///
/// `@unchecked Sendable` is sound because all state is in `state`, touched only between `lock()` and `unlock()`.
public final class ManualClock: Clock, @unchecked Sendable {
    /// A point on the clock, by its distance from the start.
    public struct Instant: InstantProtocol {
        /// The time since the start.
        public var offset: Duration

        /// Returns the instant `duration` later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// Returns the duration from this instant to `other`.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Orders instants by time.
        public static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var nextID = 0
        var sleepers: [Int: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var cancelled: Set<Int> = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let lock = NSLock()
    private var state = State()
    private let start: Date

    /// Makes a clock whose wall time begins at `start`.
    public init(start: Date = Date(timeIntervalSince1970: 1_795_242_180)) {
        self.start = start
    }

    /// The current instant.
    public var now: Instant { lock.withLock { state.now } }

    /// The current wall time.
    public var date: Date {
        let (seconds, attoseconds) = now.offset.components
        return start + Double(seconds) + Double(attoseconds) / 1e18
    }

    /// The resolution of `Duration` in use: one nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Sleeps until the clock reaches `deadline`.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = lock.withLock {
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let woken = lock.withLock { () -> [CheckedContinuation<Void, Never>] in
                    if state.cancelled.remove(id) != nil {
                        continuation.resume(throwing: CancellationError())
                        return []
                    }
                    if deadline <= state.now {
                        continuation.resume()
                        return []
                    }
                    state.sleepers[id] = (deadline, continuation)
                    return takeWaiters()
                }
                for waiter in woken { waiter.resume() }
            }
        } onCancel: {
            let sleeper = lock.withLock {
                let sleeper = state.sleepers.removeValue(forKey: id)
                if sleeper == nil { state.cancelled.insert(id) }
                return sleeper
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Advances the clock, and resumes the tasks whose deadline it reaches.
    public func advance(by duration: Duration) {
        let due = lock.withLock {
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers.removeValue(forKey: id) }
            return due.values.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Waits until at least `count` tasks sleep on the clock, so that a test can advance it safely.
    public func sleepers(atLeast count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let woken = lock.withLock {
                state.waiters.append((count, continuation))
                return takeWaiters()
            }
            for waiter in woken { waiter.resume() }
        }
    }

    private func takeWaiters() -> [CheckedContinuation<Void, Never>] {
        let count = state.sleepers.count
        let satisfied = state.waiters.filter { $0.count <= count }
        state.waiters.removeAll { $0.count <= count }
        return satisfied.map(\.continuation)
    }
}
