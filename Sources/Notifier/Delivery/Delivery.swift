import Concurrency
import EventStore
import FoundationEssentials
import Networking
import Operations
import SQLite

/// Delivers alerts to people: the outbox, and a courier for each sink.
struct Delivery: Service {
    let outbox: Outbox
    private let couriers: [SinkWorker]
    private let client: HTTPClient
    private let mail: MailClient?
    private let end = WakeSignal()

    /// Makes couriers for these sinks; with a `dryRun`, which is told what would go, there are none.
    init(
        to sinks: [SinkConfiguration], from database: Database, _ log: EventLog, metrics: Metrics, logger: Logger,
        wall: WallClock, dryRun: (@Sendable (String) -> Void)?, failPoints: FailPoints
    ) async throws {
        // No retries there: those are the outbox's, which outlive the process.
        var retry = RetryPolicy.never
        retry.attemptTimeout = .seconds(30)
        // A place for each, so that none waits for another of the same host.
        let places = max(1, sinks.count)
        let client = HTTPClient(limits: HTTPClient.Limits(perHost: places, total: places), retry: retry)
        let needsMail = sinks.contains { if case .mail = $0.destination { true } else { false } }
        let mail = needsMail ? MailClient() : nil
        let recipients = sinks.map { $0.recipient(client, mail) }
        let wakeSignals = Dictionary(uniqueKeysWithValues: recipients.map { ($0.name, WakeSignal()) })
        let outbox = Outbox(log: log, recipients: recipients, dryRun: dryRun) { wakeSignals[$0]?.signal() }
        let figures = DeliveryMetrics(metrics, sinks: recipients.map(\.name)) {
            try await database.read { try outbox.counts(in: $0) }
        }
        self.outbox = outbox
        self.client = client
        self.mail = mail
        if dryRun == nil {
            let now = wall.now()
            try await database.write { try outbox.retire(at: now, in: $0) }
            couriers = recipients.map { recipient in
                SinkWorker(
                    recipient: recipient, outbox: outbox, database: database,
                    wakeSignal: wakeSignals[recipient.name] ?? WakeSignal(),
                    logger: logger, metrics: figures, clock: ContinuousClock(), wall: wall,
                    fraction: { .random(in: 0..<1) }, failPoints: failPoints)
            }
        } else {
            couriers = []
        }
    }

    func run() async throws {
        await withDiscardingTaskGroup { tasks in
            for courier in couriers { tasks.addTask { await courier.run() } }
            await end.waitForStop()
        }
        await client.shutdown()
        await mail?.shutdown()
    }

    func stop() async {
        for courier in couriers { courier.stop() }
        end.stop()
    }
}
