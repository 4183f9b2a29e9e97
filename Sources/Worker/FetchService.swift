import Events
import Networking
import Operations

/// Takes requests from the queue, several at a time, and brings each to its end.
struct FetchService: Service {
    /// How many requests are in hand at once; the networking core bounds the calls per host on its own.
    static let width = 8

    let queue: RequestQueue
    let fetcher: Fetcher
    let journal: Journal
    let logger: Logger
    let metrics: WorkerMetrics
    let clock: any Clock<Duration>
    var crashPoints = CrashPoints.none

    /// Works until the queue is closed and what is in hand is done.
    func run() async throws {
        await withTaskGroup { tasks in
            for _ in 0..<Self.width {
                tasks.addTask {
                    while let accepted = await queue.next() { await finish(accepted) }
                }
            }
        }
    }

    func stop() async {
        await queue.close()
    }

    /// Brings a request to its end, however long the disk refuses it: an accepted request is never given up.
    private func finish(_ accepted: AcceptedRequest) async {
        let logger = logger.with([.request: accepted.id, .topic: accepted.request.topic.rawValue])
        var pause = Duration.milliseconds(250)
        while !Task.isCancelled {
            do {
                return try await attempt(accepted, logger)
            } catch {
                logger.error("a request's end cannot be written; it will be tried again", [.error: "\(error)"])
            }
            // Cancelled, the request stays in the inbox for the next start.
            guard (try? await clock.sleep(for: pause)) != nil else { return }
            pause = min(pause * 2, .seconds(30))
        }
    }

    private func attempt(_ accepted: AcceptedRequest, _ logger: Logger) async throws {
        let now = journal.clock.now()
        do {
            let findings = try await fetcher.findings(for: accepted.request, asOf: now)
            crashPoints.reach(.fetched)
            try await journal.settle(accepted, with: findings, asOf: now)
            metrics.finish(accepted.id, from: findings.source)
            for problem in findings.problems {
                logger.warning("a part could not be fetched", [.code: problem.code.rawValue, .reason: problem.message])
            }
            logger.debug("request done", [.status: findings.source.rawValue])
        } catch let failure as Failure {
            // A request that ends because the process does has not failed: the next start takes it up again.
            if Task.isCancelled { return }
            try await journal.settle(accepted, with: failure)
            metrics.finish(accepted.id, because: failure)
            logger.warning("request failed", [.code: failure.code.rawValue, .reason: failure.message])
        }
    }
}
