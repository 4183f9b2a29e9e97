import Events

/// What a subscription has delivered and the read model has not yet taken in, so that one transaction takes in all that
/// has come while the one before it was under way.
///
/// At `limit` deliveries the subscription is kept waiting: it reads no further, and catches up from the log later.
actor DeliveryQueue {
    static let limit = 500

    private var waiting: [Subscription.Batch] = []
    private var isClosed = false
    private var reader: CheckedContinuation<Void, Never>?
    private var writer: CheckedContinuation<Void, Never>?

    /// Adds a batch, once there is room for a delivery.
    func put(_ batch: Subscription.Batch) async {
        while waiting.reduce(0, { $0 + $1.deliveries.count }) >= Self.limit, !isClosed {
            await withCheckedContinuation { writer = $0 }
        }
        waiting.append(batch)
        resume(&reader)
    }

    /// All that waits, once something does; nil once the queue is closed.
    func take() async -> [Subscription.Batch]? {
        while waiting.isEmpty, !isClosed {
            await withCheckedContinuation { reader = $0 }
        }
        guard !isClosed else { return nil }
        defer { waiting = [] }
        resume(&writer)
        return waiting
    }

    /// Ends both sides; what waits is forgotten, and read again next time.
    func close() {
        isClosed = true
        resume(&reader)
        resume(&writer)
    }

    private func resume(_ continuation: inout CheckedContinuation<Void, Never>?) {
        continuation?.resume()
        continuation = nil
    }
}
