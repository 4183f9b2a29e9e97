import Concurrency
import Messaging

/// What a subscription has delivered and the read model has not yet taken in, so that one transaction takes in all that
/// has come while the one before it was under way.
///
/// At `limit` deliveries the subscription is kept waiting: it reads no further, and catches up from the log later. What
/// ends the waiting is room, a batch or the close, not cancellation.
struct DeliveryQueue: Sendable {
    static let limit = 500

    private struct State: Sendable {
        var waiting: [Subscription.Batch] = []
        var isClosed = false
    }

    private enum Taken: Sendable {
        case batches([Subscription.Batch])
        case end
    }

    private let state = AsyncCondition(State())

    /// Adds a batch, once there is room for a delivery.
    func put(_ batch: Subscription.Batch) async {
        await state.waitIgnoringCancellation { state -> Void? in
            let count = state.waiting.reduce(0) { $0 + $1.items.count }
            guard count < Self.limit || state.isClosed else { return nil }
            state.waiting.append(batch)
            return ()
        }
    }

    /// All that waits, once something does; nil once the queue is closed.
    func take() async -> [Subscription.Batch]? {
        let taken = await state.waitIgnoringCancellation { state -> Taken? in
            if state.isClosed { return .end }
            guard !state.waiting.isEmpty else { return nil }
            defer { state.waiting = [] }
            return .batches(state.waiting)
        }
        guard case .batches(let batches) = taken else { return nil }
        return batches
    }

    /// Ends both sides; what waits is forgotten, and read again next time.
    func close() {
        state.update { $0.isClosed = true }
    }
}
