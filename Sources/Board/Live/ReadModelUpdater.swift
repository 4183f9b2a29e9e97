import Concurrency
import Contract
import Messaging
import ServiceRuntime

/// Applies one process's events to the read model, each once and in order, and publishes what changed.
///
/// One transaction applies all batches that arrived while the one before it was committed.
struct ReadModelUpdater: Service {
    private let source: ReadModel.Source
    private let subscription: Subscription
    private let model: ReadModel
    private let streams: EventStreamHub
    private let logger: Logger
    private let readCounter: Counter
    private let clock: any Clock<Duration>
    private let queue = DeliveryQueue()

    /// Makes an updater that reads `subscription`; call ``run()`` to start it.
    init(
        _ source: ReadModel.Source, _ subscription: Subscription, model: ReadModel, streams: EventStreamHub,
        readCounter: Counter, runtime: Runtime
    ) {
        self.source = source
        self.subscription = subscription
        self.model = model
        self.streams = streams
        self.logger = runtime.logger.with([.process: source.rawValue])
        self.readCounter = readCounter
        clock = runtime.clock
    }

    func run() async throws {
        await withTaskGroup { tasks in
            tasks.addTask {
                while let batches = await queue.dequeueAll() { await apply(batches) }
            }
            // The body never returns a value, so only `stop` or a cancellation ends this, and neither throws.
            _ = try? await subscription.readBatches { batch -> Never? in
                await queue.enqueue(batch)
                return nil
            }
            queue.close()
        }
    }

    func stop() async {
        await subscription.close()
        queue.close()
    }

    /// Applies batches, and tries again until the database accepts them.
    private func apply(_ batches: [Subscription.Batch]) async {
        guard !Task.isCancelled else { return }  // the process ends
        await RetryLoop(clock: clock).run {
            let updates = try await model.apply(batches, from: source) { event, error in
                logger.error(
                    "cannot read an event; the board goes on without it", [.topic: event.topic, .error: "\(error)"])
            }
            streams.publish(updates)
            log(batches.flatMap(\.items))
        } onFailure: { error in
            logger.error("cannot store events in the board's database; trying again", [.error: "\(error)"])
        }
    }

    private func log(_ deliveries: [Subscription.Item]) {
        for delivery in deliveries {
            switch delivery {
            case .event: readCounter.add()
            case .live: logger.info("all events of the log have been read; new ones are shown as they come")
            case .newLog(let position):
                logger.warning(
                    "the process has a new event log; reading it from its beginning", [.epoch: position.epoch])
            }
        }
    }
}

/// Batches that a subscription has delivered and the read model has not yet applied.
///
/// With `limit` bytes of events waiting, the subscription is suspended; it catches up from the log later.
struct DeliveryQueue: Sendable {
    static let limit = Event.maximumBytes

    private struct State: Sendable {
        var waiting: [Subscription.Batch] = []
        var byteCount = 0
        var isClosed = false
    }

    // Room, a batch or the close ends a wait. Cancellation does not: it must not lose a batch.
    private let state = AsyncCondition(State())

    /// Adds a batch; suspends while the queue is full.
    func enqueue(_ batch: Subscription.Batch) async {
        await state.waitIgnoringCancellation { state -> Void? in
            guard state.byteCount < Self.limit || state.isClosed else { return nil }
            state.waiting.append(batch)
            for case .event(let event) in batch.items { state.byteCount += event.body.count }
            return ()
        }
    }

    /// Removes and returns all batches; suspends while there are none, and returns nil once the queue is closed.
    func dequeueAll() async -> [Subscription.Batch]? {
        let batches = await state.waitIgnoringCancellation { state -> [Subscription.Batch]? in
            if state.isClosed { return [] }
            guard !state.waiting.isEmpty else { return nil }
            defer { (state.waiting, state.byteCount) = ([], 0) }
            return state.waiting
        }
        return batches.isEmpty ? nil : batches
    }

    /// Ends both sides. Batches that still wait are dropped, and read again at the next start.
    func close() {
        state.update { $0.isClosed = true }
    }
}
