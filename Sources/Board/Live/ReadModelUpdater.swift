import Concurrency
import Contract
import Messaging
import ServiceRuntime

/// Applies one process's events to the read model, each once and in order, and publishes what changed.
struct ReadModelUpdater: Service {
    let source: ReadModel.Source
    let subscription: Subscription
    let model: ReadModel
    let streams: EventStreamHub
    let readCounter: Counter
    let logger: Logger
    let clock: any Clock<Duration>

    func run() async throws {
        // Only `stop` or a cancellation ends this, and of these nobody has to be told.
        _ = try? await subscription.readBatches { batch -> Never? in
            try await apply(batch)
            return nil
        }
    }

    func stop() async {
        await subscription.close()
    }

    /// Applies a batch, and tries again until the database accepts it.
    ///
    /// - Throws: `CancellationError` if the process ends before; no later batch may be applied then.
    private func apply(_ batch: Subscription.Batch) async throws {
        let updates = await RetryLoop(clock: clock).run {
            try await model.apply(batch, from: source) { event, error in
                logger.error(
                    "cannot read an event; the board goes on without it", [.topic: event.topic, .error: "\(error)"])
            }
        } onFailure: { error in
            logger.error("cannot store events in the board's database; trying again", [.error: "\(error)"])
        }
        guard let updates else { throw CancellationError() }
        streams.publish(updates)
        for delivery in batch.items {
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
