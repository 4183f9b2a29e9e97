import BoxOffice
import Events
import OpenMarket
import Operations

/// Reads the charts as they are published, each once and in order, and decides the alerts.
///
/// What is at hand is decided on together and written in one transaction: a page of the log while it catches up, and
/// mostly a single chart later.
struct AlertService: Service {
    let subscription: Subscription
    let ledger: Ledger
    /// What was known at the start.
    let memory: Memory
    /// Reads the memory again as it was last written.
    let recall: @Sendable () async throws -> Memory
    let logger: Logger
    let metrics: NotifierMetrics
    let clock: any Clock<Duration>
    var crashPoints = CrashPoints.none

    func run() async throws {
        var memory = memory
        _ = try await subscription.readBatches { deliveries -> Never? in
            await take(deliveries, &memory)
            return nil
        }
    }

    func stop() async {
        await subscription.close()
    }

    /// Takes what was read, however long the disk refuses what follows from it.
    private func take(_ deliveries: [Subscription.Delivery], _ memory: inout Memory) async {
        var pause = Duration.milliseconds(250)
        var isLost = false
        while !Task.isCancelled {
            do {
                // A decision that is not on disk was not taken.
                if isLost { memory = try await recall() }
                isLost = false
                return try await attempt(deliveries, &memory)
            } catch {
                isLost = true
                logger.error("a decision cannot be written; it will be tried again", [.error: "\(error)"])
            }
            guard (try? await clock.sleep(for: pause)) != nil else { return }  // cancelled: the process ends
            pause = min(pause * 2, .seconds(30))
        }
    }

    /// Decides on what was read, and puts all that has to outlive the process on disk.
    private func attempt(_ deliveries: [Subscription.Delivery], _ memory: inout Memory) async throws {
        var decisions: [Decision] = []
        for delivery in deliveries {
            switch delivery {
            case .event(let event, let position):
                memory.position = position
                decisions += decide(event, &memory)
            case .live(let position):
                memory.position = position
                memory.catchUp()
                logger.info("all charts are read", [.date: memory.decider.newestDay])
            case .newLog(let position):
                memory.position = position
                memory.beginLog()
                logger.warning("the worker has another log: its charts are read anew", [.epoch: position.epoch])
            }
        }
        for decision in try await ledger.record(decisions, then: memory.takeChanges()) {
            metrics.decide(decision.alert.rule)
            logger.info(
                "alert",
                [
                    .topic: decision.event.topic, .sequence: decision.event.sequence, .alert: decision.alert.id,
                    .text: decision.alert.text.ko,
                ])
        }
    }

    private func decide(_ event: Event, _ memory: inout Memory) -> [Decision] {
        let place = Alert.Evidence(stream: event.stream, sequence: event.sequence)
        do throws(DecodingError) {
            switch event.topic {
            case .ranking(let day, let market) where memory.decider.books[market] != nil:
                metrics.read()
                crashPoints.reach(.read)
                let chart = try OpenChart(event.data(), of: day, at: place)
                let decisions = try memory.take(chart, of: market, from: event)
                crashPoints.reach(.decided)
                return decisions
            case .anomaly:
                metrics.read()
                return memory.take(try event.data(as: Anomaly.self), from: event)
            case .products:
                metrics.read()
                return memory.take(try event.data(as: ProductPage.self).products, from: event)
            case .product:
                metrics.read()
                return memory.take([try event.data(as: Product.self)], from: event)
            case .productRemoved:
                metrics.read()
                return memory.take(try event.data(as: RemovedProduct.self), from: event)
            default:
                return []  // other charts fire nothing, and are read past
            }
        } catch {
            logger.error("an event cannot be read", [.topic: event.topic, .error: "\(error)"])
            return []
        }
    }
}
