import BoxOffice
import Concurrency
import Contract
import FoundationEssentials
import ServiceRuntime
import Storage

/// Takes requests from the queue, several at a time, and ends each with its result or a failure.
struct FetchService: Service {
    /// How many requests are processed at once unless set otherwise; the HTTP client limits the calls per host.
    static let defaultWidth = 8

    /// How many requests are processed at once: while one waits for its answer, others are written.
    var width = Self.defaultWidth
    let queue: RequestQueue
    /// Returns the fetcher for requests that may use a share of the day's calls.
    let fetcher: @Sendable (QuotaShare) -> Fetcher
    let store: WorkerStore
    let metrics: WorkerMetrics
    let runtime: Runtime
    /// The last try of a request that the worker has not survived is made beside no other such request.
    private let lastTries = AsyncSemaphore(permits: 1)
    /// The movies that requests in progress are about.
    private let movies = AsyncCondition<Set<MovieCode>>([])

    /// Runs until the queue is closed and the requests in progress have ended.
    func run() async throws {
        await withTaskGroup { tasks in
            var count = 0
            while let accepted = await queue.next() {
                tasks.addTask { await process(accepted) }
                count += 1
                // The next request stays in the queue until there is a task for it: a live one may still overtake it.
                if count == width {
                    await tasks.next()
                    count -= 1
                }
            }
        }
    }

    func stop() async {
        queue.close()
    }

    /// Ends a request. While another one for the same movie is in progress it waits: a search for a poster costs a call,
    /// and then its result is in the log.
    private func process(_ accepted: AcceptedRequest) async {
        // One that wants the movie afresh does not ask the log.
        guard case .movie(let code, _) = accepted.request.target, !accepted.request.refresh else {
            return await attempt(accepted)
        }
        let isFirst = movies.update { $0.insert(code).inserted }
        // If the first fails, those that have waited go on together and share their calls.
        if !isFirst { await movies.waitIgnoringCancellation { $0.contains(code) ? nil : () } }
        await attempt(accepted)
        if isFirst { movies.update { $0.remove(code) } }
    }

    /// Ends a request; one that may have ended the worker before is the only one of its kind in progress.
    private func attempt(_ accepted: AcceptedRequest) async {
        guard accepted.tries == RequestInbox.triesLimit - 1 else { return await finish(accepted) }
        await lastTries.withPermit { await finish(accepted) }
    }

    /// Ends a request. While the disk rejects the write it tries again: an accepted request is never given up.
    private func finish(_ accepted: AcceptedRequest) async {
        let logger = runtime.logger.with([.request: accepted.id, .topic: accepted.request.topic.rawValue])
        var fetched: (result: FetchResult, askedAt: Date)?
        // The first try costs no commit: a request that the next start finds in the inbox counts as tried once.
        let countsTry = accepted.tries > 0
        var hasBegun = !countsTry
        // Cancelled, the request stays in the inbox for the next start.
        let hasEnded = await RetryLoop(clock: runtime.clock).run { () -> Bool in
            do {
                if !hasBegun { hasBegun = try await store.write { try RequestInbox($0).begin(accepted.id) } }
                guard hasBegun else { return true }
                do {
                    // A result is kept while the disk rejects it, because fetching it again costs another call. A failure
                    // is not: its cause may be the disk, where the call could not be booked.
                    let (result, askedAt) = if let fetched { fetched } else { try await fetch(accepted) }
                    fetched = (result, askedAt)
                    try await settle(accepted, result, askedAt: askedAt, logger)
                } catch {
                    try await fail(accepted, try lastingFailure(error, logger), logger)
                }
                return true
            } catch is CancellationError {
                return false  // the process ends
            }
        } onFailure: { error in
            logger.error(
                "the beginning or the end of a request cannot be written; it will be tried again", [.error: "\(error)"])
        }
        if countsTry, hasBegun, hasEnded != true { await takeBack(accepted, logger) }
    }

    /// An orderly stop is no try. In a task of its own, which the cancellation of this one does not reach.
    private func takeBack(_ accepted: AcceptedRequest, _ logger: Logger) async {
        await Task {
            do {
                try await store.write { try RequestInbox($0).takeBack(accepted.id) }
            } catch {
                logger.warning("a request that was not finished counts as tried", [.error: "\(error)"])
            }
        }.value
    }

    private func fetch(_ accepted: AcceptedRequest) async throws -> (FetchResult, askedAt: Date) {
        let now = runtime.wallClock.now()
        let result = try await fetcher(accepted.quotaShare).result(for: accepted, asOf: now)
        runtime.failPoints.reach(.fetched)
        return (result, result.askedAt ?? now)
    }

    private func settle(
        _ accepted: AcceptedRequest, _ result: FetchResult, askedAt: Date, _ logger: Logger
    ) async throws {
        let anomalies = try await store.write { transaction in
            try SettlementStore(transaction).settle(accepted, with: result, askedAt: askedAt)
        }
        guard let anomalies else { return }
        report(anomalies, logger)
        metrics.countDone(accepted.id, from: result.source)
        for problem in result.problems {
            logger.warning("a part could not be fetched", [.code: problem.code.rawValue, .reason: problem.message])
        }
        logger.debug("request done", [.status: result.source.rawValue])
    }

    private func fail(_ accepted: AcceptedRequest, _ failure: ContractError, _ logger: Logger) async throws {
        let anomalies = try await store.write { try SettlementStore($0).settle(accepted, with: failure) }
        guard let anomalies else { return }
        report(anomalies, logger)
        metrics.countFailed(accepted.id, failure)
        logger.warning("request failed", [.code: failure.code.rawValue, .reason: failure.message])
    }

    private func report(_ anomalies: [Anomaly], _ logger: Logger) {
        for anomaly in anomalies {
            metrics.countAnomaly(anomaly)
            logger.warning("anomaly", [.reason: anomaly.text])
        }
    }

    /// Returns the error that the request fails with; rethrows errors that another try may not meet.
    private func lastingFailure(_ error: any Error, _ logger: Logger) throws -> ContractError {
        switch error {
        case let failure as ContractError: return failure
        case is DatabaseError, is CancellationError: throw error
        default:
            logger.error("a request failed because of an internal error", [.error: "\(error)"])
            return ContractError(.internal, "internal error: the request could not be processed")
        }
    }
}
