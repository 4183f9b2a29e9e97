import BoxOffice
import Contract
import Health
import Messaging
import Operations
import SQLite
import ZeroMQ

extension WorkerProcess {
    /// Adds the metrics that are read only when they are scraped.
    func addMetrics(_ parts: WorkerParts, to metrics: Metrics, publisher: Publisher, sockets: WorkerSockets) {
        let (queue, quota, backfill) = (parts.queue, parts.quota, parts.backfill)
        metrics.gauges("marquee_queue_length", "Accepted requests that wait for a fetcher.", by: "priority") {
            let lengths = queue.lengths
            return [
                Request.Priority.live.rawValue: Double(lengths.live),
                Request.Priority.backfill.rawValue: Double(lengths.backfill),
            ]
        }
        metrics.gauges(
            "marquee_quota_left_calls", "Calls to a service that remain today, in Korea.", by: "service"
        ) {
            try await quota.balances().mapValues { Double($0.left) }
        }
        metrics.gauge("marquee_chart_age_days", "Days between the newest national chart and today in Korea.") {
            try await backfill.store.newestChart().map { Double(KoreanDate(at: backfill.wallClock.now()) - $0) }
        }
        metrics.gauge("marquee_backfill_left", "Charts and movies that the present backfill still has to fetch.") {
            try await backfill.progress().map { $0.isOver ? 0 : Double($0.total - $0.done - $0.failed) }
        }
        publisher.report(to: metrics)
        metrics.addSockets(
            ["requests": sockets.requests, "commands": sockets.commands, "events": sockets.events].mapValues { socket in
                { socket.counters }
            })
        metrics.addDatabase(at: databasePath)
    }

    /// Makes the health server: the worker is live while its database answers, and ready while it can accept and fetch.
    func makeHealthServer(_ parts: WorkerParts, metrics: Metrics) throws -> HealthServer {
        let store = parts.store
        let queue = HealthCheck("queue") {
            // The database has a check of its own.
            guard let waiting = try? await store.waitingCount() else { return nil }
            return waiting < store.inbox.limit ? nil : "queue: full, \(waiting) requests are waiting"
        }
        return try HealthServer(
            address: configuration.workerHTTP, hosts: configuration.boardHosts, metrics: metrics,
            liveness: [.databaseRead(store.database)],
            readiness: [
                .databaseWrite(store.database), parts.intake.limits.diskCheck, parts.keyHealth.check, queue,
            ])
    }
}
