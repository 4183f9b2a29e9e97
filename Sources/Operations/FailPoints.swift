import Glibc
import Synchronization

/// Kills the process the n-th time it comes to a chosen step, as `kill -9` would: a hook for tests, off unless chosen.
///
/// Reaching a step that was not chosen costs a comparison.
public final class FailPoints: Sendable {
    /// Nothing is chosen: the process lives.
    public static let none = FailPoints(at: nil, visit: 0)

    private let chosen: FailPoint?
    private let visitsLeft: Atomic<Int>

    private init(at chosen: FailPoint?, visit: Int) {
        self.chosen = chosen
        visitsLeft = Atomic(visit)
    }

    /// Reads `LABEL` or `LABEL:N`, N from 1; nothing if the text is neither.
    public convenience init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let chosen = FailPoint(rawValue: String(parts[0])) else { return nil }
        guard let visit = parts.count == 1 ? 1 : Int(parts[1]), visit > 0 else { return nil }
        self.init(at: chosen, visit: visit)
    }

    /// Tells that the process has come to a step; does not return if it is the one to die at.
    public func reach(_ point: FailPoint) {
        guard point == chosen, visitsLeft.subtract(1, ordering: .relaxed).newValue == 0 else { return }
        kill(getpid(), SIGKILL)
        while true { pause() }  // the signal is on its way; nothing more is done on this thread
    }
}
