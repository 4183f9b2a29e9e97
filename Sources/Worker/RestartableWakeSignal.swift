import Concurrency

/// A `WakeSignal` for a service that is started and stopped several times: each run has a new one.
struct RestartableWakeSignal: Sendable {
    private let current = Locked(WakeSignal())

    /// Wakes the present run. Without one it does nothing, because every run begins by checking for work.
    func signal() {
        current.withLock { $0 }.signal()
    }

    /// Ends the present run; a run that begins later is not affected.
    func stop() {
        current.withLock { $0 }.stop()
    }

    /// Begins a run and returns its signal.
    func start() -> WakeSignal {
        let signal = WakeSignal()
        current.withLock { $0 = signal }
        return signal
    }
}
