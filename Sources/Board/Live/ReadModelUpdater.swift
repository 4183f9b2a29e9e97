import Concurrency
import Contract
import Messaging
import Operations

/// Reads one process's events, each once and in order, into the read model, and tells the browsers what is new.
struct ReadModelUpdater: Service {
    let source: ReadModel.Source
    let subscription: Subscription
    let model: ReadModel
    let hub: EventStreamHub
    let logger: Logger
    let read: Counter
    let clock: any Clock<Duration>
    private let queue = DeliveryQueue()

    init(
        _ source: ReadModel.Source, _ subscription: Subscription, into model: ReadModel, telling hub: EventStreamHub,
        logger: Logger, read: Counter, clock: any Clock<Duration>
    ) {
        self.source = source
        self.subscription = subscription
        self.model = model
        self.hub = hub
        self.logger = logger.with([.process: source.rawValue])
        self.read = read
        self.clock = clock
    }

    func run() async throws {
        await withTaskGroup { tasks in
            tasks.addTask {
                while let batches = await queue.take() { await take(batches) }
            }
            // It never returns a value, so what ends it is its close or a cancellation, and it throws nothing.
            _ = try? await subscription.readBatches { batch -> Never? in
                await queue.put(batch)
                return nil
            }
            queue.close()
        }
    }

    func stop() async {
        await subscription.close()
        queue.close()
    }

    /// Takes batches in, however long the disk refuses them.
    private func take(_ batches: [Subscription.Batch]) async {
        guard !Task.isCancelled else { return }  // the process ends
        await RetryLoop(clock: clock).run {
            let news = try await model.take(batches, of: source) { event, error in
                logger.error("an event cannot be read", [.topic: event.topic, .error: "\(error)"])
            }
            hub.publish(news)
            note(batches.flatMap(\.items))
        } onFailure: { error in
            logger.error("events cannot be stored; it will be tried again", [.error: "\(error)"])
        }
    }

    private func note(_ deliveries: [Subscription.Item]) {
        for delivery in deliveries {
            switch delivery {
            case .event: read.add()
            case .live: logger.info("all events are read")
            case .newLog(let position):
                logger.warning("there is another log, which is read from its beginning", [.epoch: position.epoch])
            }
        }
    }
}
