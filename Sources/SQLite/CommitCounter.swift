import Synchronization

/// Counts commits, for whoever keeps what was read until something has changed.
final class CommitCounter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .acquiring) }

    func add() {
        count.add(1, ordering: .releasing)
    }
}
