import Concurrency

/// Wakes a service that sleeps until its next time, because something has happened meanwhile.
///
/// Rung while nobody listens, it is heard by the next who does; rung twice, it is heard once.
public struct Bell: Sendable {
    private let silence = Locked(false)
    private let sounds: AsyncStream<Void>
    private let striker: AsyncStream<Void>.Continuation

    /// Makes a bell.
    public init() {
        (sounds, striker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Wakes who listens.
    public func ring() {
        striker.yield()
    }

    /// Ends the listening, after what a listener is about.
    public func fallSilent() {
        silence.withLock { $0 = true }
        striker.finish()
    }

    /// Whether it has fallen silent, for a listener who is about something long.
    public var isSilent: Bool { silence.withLock { $0 } }

    /// Returns when it falls silent.
    public func waitForSilence() async {
        for await _ in sounds {}
    }

    /// Calls `body` after a pause, and again whenever the bell is rung or the time that `body` returned has passed, until
    /// the bell falls silent or the task is cancelled.
    public func listen(
        after pause: Duration = .zero, _ clock: any Clock<Duration>, _ body: () async -> Duration
    ) async {
        var alarm = alarm(after: pause, clock)
        defer { alarm.cancel() }
        for await _ in sounds {
            alarm.cancel()
            let pause = await body()
            guard !Task.isCancelled else { return }
            alarm = self.alarm(after: pause, clock)
        }
    }

    private func alarm(after pause: Duration, _ clock: any Clock<Duration>) -> Task<Void, Never> {
        Task {
            // Fails only by cancellation, when something else was sooner.
            if (try? await clock.sleep(for: pause)) != nil { ring() }
        }
    }
}
