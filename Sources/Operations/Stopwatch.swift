/// Tells how long ago it was made.
public struct Stopwatch: Sendable {
    private let read: @Sendable () -> Duration

    /// Starts it.
    public init(_ clock: some Clock<Duration>) {
        let start = clock.now
        read = { start.duration(to: clock.now) }
    }

    /// The time since it was made.
    public var elapsed: Duration { read() }
}
