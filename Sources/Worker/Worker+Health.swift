import Events
import Health
import Operations
import SQLite
import ZeroMQ

extension Worker {
    /// Adds the figures that are read only when somebody asks for them.
    func addFigures(
        to metrics: Metrics, queue: RequestQueue, quota: QuotaLedger, publisher: Publisher, database path: String,
        sockets: [String: Socket]
    ) {
        metrics.gauges("marquee_queue_length", "Accepted requests that wait for their turn.", by: "priority") {
            [
                Request.Priority.live.rawValue: Double(await queue.liveCount),
                Request.Priority.backfill.rawValue: Double(await queue.backfillCount),
            ]
        }
        metrics.gauges(
            "marquee_quota_left_calls", "Calls to a service that are left of today's, in Korea.", by: "service"
        ) {
            try await quota.balances().mapValues { Double($0.left) }
        }
        publisher.report(to: metrics)
        metrics.addSockets(sockets.mapValues { socket in { socket.counters } })
        metrics.addDatabase(at: path)
    }

    /// The worker's pages: it lives while its database answers, and is ready while it can accept and fetch.
    func healthServer(_ metrics: Metrics, journal: Journal, key: KobisKey) throws -> HealthServer {
        let queue = HealthCheck("queue") {
            // A database that cannot be read has a check of its own.
            guard let waiting = try? await journal.waitingCount() else { return nil }
            return waiting < journal.inbox.limit ? nil : "queue: full, \(waiting) requests are waiting"
        }
        return try HealthServer(
            address: configuration.workerHTTP, metrics: metrics, livesIf: [.answers(journal.database)],
            isReadyIf: [.writes(to: journal.database), key.check, queue])
    }
}
