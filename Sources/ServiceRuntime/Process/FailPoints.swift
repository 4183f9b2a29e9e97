import Glibc
import Synchronization

/// Kills the process at a chosen fail point, as `kill -9` would. It is a hook for tests, and off unless a point is chosen.
///
/// Reaching a point that was not chosen costs one comparison.
public final class FailPoints: Sendable {
    /// No point is chosen.
    public static let none = FailPoints(at: nil, visit: 0)

    private let chosen: FailPoint?
    private let visitsLeft: Atomic<Int>

    private init(at chosen: FailPoint?, visit: Int) {
        self.chosen = chosen
        visitsLeft = Atomic(visit)
    }

    /// Reads `POINT` or `POINT:N`: the process is killed when it reaches the point for the N-th time, from 1.
    ///
    /// Returns nil for text of another form.
    public convenience init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let chosen = FailPoint(rawValue: String(parts[0])) else { return nil }
        guard let visit = parts.count == 1 ? 1 : Int(parts[1]), visit > 0 else { return nil }
        self.init(at: chosen, visit: visit)
    }

    /// Marks that the process has reached a point; does not return if the process is to be killed there.
    public func reach(_ point: FailPoint) {
        guard point == chosen, visitsLeft.subtract(1, ordering: .relaxed).newValue == 0 else { return }
        kill(getpid(), SIGKILL)
        while true { pause() }  // this thread does nothing more until the signal arrives
    }
}

/// A step at which ``FailPoints`` can kill the process, between the arrival of data and the sending of its results.
///
/// The raw values are the arguments of `--crash-at`; docs/reliability.md explains them.
public enum FailPoint: String, Sendable, CaseIterable {
    /// Requests have arrived; none is on disk.
    case received
    /// Requests are in the open transaction of the inbox.
    case stored
    /// Requests are on disk; no receipt has been sent.
    case accepted
    /// Receipts are in the send queue of the socket.
    case answered
    /// The record that an order may have been sent is on disk; nothing has been sent.
    case attempted
    /// The result of a request has been fetched; none of it is on disk.
    case fetched
    /// A chart has been read; no rule has been evaluated.
    case read
    /// Rules have been evaluated; none of their alerts is on disk.
    case decided
    /// A result is in the open transaction: a request's end with its events, or a chart with its alerts.
    case settled
    /// A result is on disk; its events have not been sent.
    case committed
    /// The events of a result are in the send queue of the socket.
    case published
    /// An attempt to deliver a message is recorded; nothing of it has been sent.
    case posted
    /// A sink has responded; its response is not on disk.
    case delivered
}
