import Synchronization

/// Counts what happens, from any thread; made by `Metrics`.
public final class Counter: Sendable {
    private let total = Atomic<Int>(0)

    init() {}

    /// Counts `amount` more.
    public func add(_ amount: Int = 1) {
        precondition(amount >= 0, "a counter only grows")
        total.wrappingAdd(amount, ordering: .relaxed)
    }

    /// How many there were.
    public var count: Int { total.load(ordering: .relaxed) }
}
