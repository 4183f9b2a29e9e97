import Locking

/// Wakes a courier: rung from anywhere, however often, before or after it listens, it wakes once.
struct Bell: Sendable {
    /// What the courier listens to; ends when the bell is taken down.
    let rings: AsyncStream<Void>
    private let down = Locked(false)
    private let rope: AsyncStream<Void>.Continuation

    /// Makes a bell.
    init() {
        (rings, rope) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Rings; a ring that nobody has heard yet is as good as two.
    func ring() {
        rope.yield()
    }

    /// Whether the courier is to end its work.
    var isDown: Bool { down.withLock { $0 } }

    /// Ends the courier's work, after what it has in hand.
    func takeDown() {
        down.withLock { $0 = true }
        rope.finish()
    }
}
