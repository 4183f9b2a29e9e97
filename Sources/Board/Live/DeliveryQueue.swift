import Concurrency
import Events

/// What a subscription has delivered and the read model has not yet taken in, so that one transaction takes in all that
/// has come while the one before it was under way.
///
/// At `limit` the subscription is kept waiting: it reads no further, and catches up from the log later. What ends the
/// waiting is room, a delivery or the close, not cancellation.
struct DeliveryQueue: Sendable {
    static let limit = 500

    private struct State: Sendable {
        var waiting: [Subscription.Delivery] = []
        var isClosed = false
    }

    private enum Batch: Sendable {
        case deliveries([Subscription.Delivery])
        case end
    }

    private let state = AsyncCondition(State())

    /// Adds a delivery, once there is room.
    func put(_ delivery: Subscription.Delivery) async {
        await state.waitIgnoringCancellation { state -> Void? in
            guard state.waiting.count < Self.limit || state.isClosed else { return nil }
            state.waiting.append(delivery)
            return ()
        }
    }

    /// All that waits, once something does; nil once the queue is closed.
    func take() async -> [Subscription.Delivery]? {
        let batch = await state.waitIgnoringCancellation { state -> Batch? in
            if state.isClosed { return .end }
            guard !state.waiting.isEmpty else { return nil }
            defer { state.waiting = [] }
            return .deliveries(state.waiting)
        }
        guard case .deliveries(let deliveries) = batch else { return nil }
        return deliveries
    }

    /// Ends both sides; what waits is forgotten, and read again next time.
    func close() {
        state.update { $0.isClosed = true }
    }
}
