/// Wakes a service that sleeps until its next run, because it has work earlier.
///
/// ``signal()`` and ``stop()`` may be called on any thread and never wait. A signal that no task waits for is kept for
/// the next wait; several are kept as one. One task at a time runs the loop or waits.
public struct WakeSignal: Sendable {
    private let hasStopped = Locked(false)
    private let signals: AsyncStream<Void>
    private let source: AsyncStream<Void>.Continuation

    /// Makes a signal that has not been given.
    public init() {
        (signals, source) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Wakes the loop, or if the body is running, makes it run once more.
    public func signal() {
        source.yield()
    }

    /// Ends the loop after the current run of the body. Later signals have no effect.
    public func stop() {
        hasStopped.withLock { $0 = true }
        source.finish()
    }

    /// Whether ``stop()`` was called; a body with several steps checks it between them.
    public var isStopped: Bool { hasStopped.withLock { $0 } }

    /// Suspends until ``stop()`` is called or the task is cancelled.
    public func waitForStop() async {
        for await _ in signals {}
    }

    /// Calls `body` after `pause`, and again after each signal or when the time that `body` returned has passed.
    ///
    /// Returns after ``stop()``, or when the task is cancelled; an error of `body` ends it. A signal that came before
    /// ``stop()`` is still followed by one call of `body`.
    public func runLoop(
        after pause: Duration = .zero, _ clock: any Clock<Duration>, _ body: () async throws -> Duration
    ) async rethrows {
        var timer = timer(after: pause, clock)
        defer { timer.cancel() }
        for await _ in signals {
            timer.cancel()
            let pause = try await body()
            guard !Task.isCancelled else { return }
            timer = self.timer(after: pause, clock)
        }
    }

    private func timer(after pause: Duration, _ clock: any Clock<Duration>) -> Task<Void, Never> {
        Task {
            // Fails only by cancellation, when a signal came first.
            if (try? await clock.sleep(for: pause)) != nil { signal() }
        }
    }
}
