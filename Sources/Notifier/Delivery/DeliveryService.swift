import Concurrency
import EventStore
import FoundationEssentials
import Networking
import Operations
import SQLite

/// Delivers alerts to people: the outbox, and a worker for each sink.
struct DeliveryService: Service {
    let outbox: Outbox
    private let workers: [SinkWorker]
    private let database: Database
    private let client: HTTPClient
    private let mailClient: MailClient?
    private let wallClock: WallClock
    private let end = WakeSignal()

    /// Makes the outbox and a worker for each sink; writes and sends nothing yet.
    ///
    /// - Parameters:
    ///   - board: the board's public URL, for links.
    ///   - dryRun: is called with a line for each alert that a sink would get; there are no workers then.
    init(
        to configurations: [SinkConfiguration], board: String?, from database: Database, _ log: EventLog,
        metrics: Metrics,
        logger: Logger, wallClock: WallClock, dryRun: (@Sendable (String) -> Void)?, failPoints: FailPoints
    ) {
        // The client does not retry: the outbox does, and its retries outlive the process.
        var retry = RetryPolicy.never
        retry.attemptTimeout = .seconds(30)
        // A connection for each sink, so that none waits for another one on the same host.
        let connections = max(1, configurations.count)
        let client = HTTPClient(
            limits: HTTPClient.Limits(perHost: connections, total: connections), retry: retry)
        let needsMail = configurations.contains { if case .mail = $0.destination { true } else { false } }
        let mailClient = needsMail ? MailClient() : nil
        let sinks = configurations.map { $0.makeSink(client, mailClient, board: board) }
        let wakeSignals = Dictionary(uniqueKeysWithValues: sinks.map { ($0.name, WakeSignal()) })
        let outbox = Outbox(log: log, sinks: sinks, dryRun: dryRun) { wakeSignals[$0]?.signal() }
        let deliveryMetrics = DeliveryMetrics(metrics, sinks: sinks.map(\.name)) {
            try await database.read { try outbox.counts(in: $0) }
        }
        self.outbox = outbox
        self.database = database
        self.client = client
        self.mailClient = mailClient
        self.wallClock = wallClock
        workers =
            dryRun != nil
            ? []
            : sinks.map { sink in
                SinkWorker(
                    sink: sink, outbox: outbox, database: database,
                    wakeSignal: wakeSignals[sink.name] ?? WakeSignal(), logger: logger, metrics: deliveryMetrics,
                    clock: ContinuousClock(), wallClock: wallClock, fraction: { .random(in: 0..<1) },
                    failPoints: failPoints)
            }
    }

    /// Ends the deliveries that wait for sinks that are no longer configured; does nothing in a dry run.
    ///
    /// - Throws: an error of the database.
    func closeRemovedSinks() async throws {
        guard outbox.dryRun == nil else { return }
        let now = wallClock.now()
        try await database.write { [outbox] in try outbox.closeRemovedSinks(at: now, in: $0) }
    }

    func run() async throws {
        await withDiscardingTaskGroup { tasks in
            for worker in workers { tasks.addTask { await worker.run() } }
            await end.waitForStop()
        }
        await client.shutdown()
        await mailClient?.shutdown()
    }

    func stop() async {
        for worker in workers { worker.stop() }
        end.stop()
    }
}

/// The counters of messages, by sink.
struct DeliveryMetrics: Sendable {
    private let sent: [String: Counter]
    private let failed: [String: Counter]
    private let dead: [String: Counter]

    /// Registers the counters of these sinks.
    ///
    /// - Parameter counts: reads the number of deliveries in each state from the outbox.
    init(_ metrics: Metrics, sinks: [String], counts: @escaping @Sendable () async throws -> [String: SinkCounts]) {
        sent = metrics.counters("marquee_letters_sent_total", "Letters that the sink accepted.", for: sinks) {
            ["sink": $0]
        }
        failed = metrics.counters(
            "marquee_letters_failed_total", "Failed attempts to deliver a letter that will be retried.", for: sinks
        ) { ["sink": $0] }
        dead = metrics.counters(
            "marquee_letters_dead_total", "Letters given up: rejected by the sink, or out of attempts.", for: sinks
        ) { ["sink": $0] }
        metrics.gauges("marquee_deliveries_waiting", "Alerts waiting to be delivered.", by: "sink") {
            try await counts().mapValues { Double($0.waiting) }
        }
        metrics.gauges(
            "marquee_deliveries_dead", "Alerts in dead letters; `marquee notify retry` sends them again.", by: "sink"
        ) {
            try await counts().mapValues { Double($0.dead) }
        }
    }

    /// Counts the outcome of an attempt.
    func count(_ outcome: Outbox.Outcome, for sink: String) {
        switch outcome {
        case .sent: sent[sink]?.add()
        case .retry: failed[sink]?.add()
        case .dead: dead[sink]?.add()
        }
    }
}
