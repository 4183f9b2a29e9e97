import BoxOffice
import Contract
import Health
import Messaging
import Operations
import SQLite
import ZeroMQ

extension WorkerProcess {
    /// Adds the figures that are read only when somebody asks for them.
    func addFigures(
        to metrics: Metrics, queue: RequestQueue, quota: QuotaLedger, backfill: BackfillService, publisher: Publisher,
        database path: String, sockets: [String: Socket]
    ) {
        metrics.gauges("marquee_queue_length", "Accepted requests that wait for their turn.", by: "priority") {
            let lengths = queue.lengths
            return [
                Request.Priority.live.rawValue: Double(lengths.live),
                Request.Priority.backfill.rawValue: Double(lengths.backfill),
            ]
        }
        metrics.gauges(
            "marquee_quota_left_calls", "Calls to a service that are left of today's, in Korea.", by: "service"
        ) {
            try await quota.balances().mapValues { Double($0.left) }
        }
        metrics.gauge("marquee_chart_age_days", "How many days ago in Korea the newest national chart's day was.") {
            try await backfill.store.newestChart().map { Double(KoreanDate(at: backfill.clock.now()) - $0) }
        }
        metrics.gauge("marquee_backfill_left", "Charts and films that the present backfill has still to fetch.") {
            try await backfill.progress().map { $0.isOver ? 0 : Double($0.total - $0.done - $0.failed) }
        }
        publisher.report(to: metrics)
        metrics.addSockets(sockets.mapValues { socket in { socket.counters } })
        metrics.addDatabase(at: path)
    }

    /// The worker's pages: it lives while its database answers, and is ready while it can accept and fetch.
    func healthServer(_ metrics: Metrics, store: WorkerStore, key: KobisKeyHealth) throws -> HealthServer {
        let queue = HealthCheck("queue") {
            // A database that cannot be read has a check of its own.
            guard let waiting = try? await store.waitingCount() else { return nil }
            return waiting < store.inbox.limit ? nil : "queue: full, \(waiting) requests are waiting"
        }
        return try HealthServer(
            address: configuration.workerHTTP, metrics: metrics, liveness: [.databaseRead(store.database)],
            readiness: [.databaseWrite(store.database), key.check, queue])
    }
}
