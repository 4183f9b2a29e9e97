import BoxOffice
import Concurrency
import Contract
import FoundationEssentials
import Operations
import SQLite

/// Takes requests from the queue, several at a time, and brings each to its end.
struct FetchService: Service {
    /// How many requests are in hand at once; the networking core bounds the calls per host on its own.
    static let width = 8

    /// How many this one has in hand: while one's answer is on its way, others are being written.
    var width = Self.width
    /// Where they are worked on.
    var executor: (any TaskExecutor)?
    let queue: RequestQueue
    /// Who asks for requests of a priority: each has its own part of the day's calls.
    let fetcher: @Sendable (Request.Priority) -> Fetcher
    let store: WorkerStore
    let logger: Logger
    let metrics: WorkerMetrics
    let clock: any Clock<Duration>
    var failPoints = FailPoints.none

    /// Works until the queue is closed and what is in hand is done.
    func run() async throws {
        await withTaskGroup { tasks in
            for _ in 0..<width {
                tasks.addTask(executorPreference: executor) {
                    while let accepted = await queue.next() { await finish(accepted) }
                }
            }
        }
    }

    func stop() async {
        queue.close()
    }

    /// How a request ends.
    private enum Ending {
        case done(FetchResult, askedAt: Date)
        case failed(ContractError)
    }

    /// Brings a request to its end, however long the disk refuses it: an accepted request is never given up.
    private func finish(_ accepted: AcceptedRequest) async {
        let logger = logger.with([.request: accepted.id, .topic: accepted.request.topic.rawValue])
        var found: Ending?
        // Cancelled, the request stays in the inbox for the next start.
        await RetryLoop(clock: clock).run {
            do {
                let ending = if let found { found } else { try await ending(of: accepted, logger) }
                // What was found is kept while the disk refuses it, because asking again costs another call. A failure is
                // not: it may be the disk's doing, where a call cannot be booked.
                if case .done = ending { found = ending }
                try await settle(accepted, ending, logger)
            } catch is CancellationError {
                return  // the process ends
            }
        } onFailure: { error in
            logger.error("a request's end cannot be written; it will be tried again", [.error: "\(error)"])
        }
    }

    /// Finds out how a request ends; throws what passes, the disk's refusal and the cancellation.
    private func ending(of accepted: AcceptedRequest, _ logger: Logger) async throws -> Ending {
        let now = store.clock.now()
        do {
            let result = try await fetcher(accepted.request.priority).result(for: accepted, asOf: now)
            failPoints.reach(.fetched)
            return .done(result, askedAt: result.askedAt ?? now)
        } catch {
            return .failed(try lastingFailure(error, logger))
        }
    }

    private func settle(_ accepted: AcceptedRequest, _ ending: Ending, _ logger: Logger) async throws {
        switch ending {
        case .done(let result, let askedAt):
            do {
                let anomalies = try await store.settle(accepted, with: result, askedAt: askedAt)
                guard let anomalies else { return }
                warn(of: anomalies, logger)
            } catch {
                return try await fail(accepted, try lastingFailure(error, logger), logger)
            }
            metrics.finish(accepted.id, from: result.source)
            for problem in result.problems {
                logger.warning("a part could not be fetched", [.code: problem.code.rawValue, .reason: problem.message])
            }
            logger.debug("request done", [.status: result.source.rawValue])
        case .failed(let failure):
            try await fail(accepted, failure, logger)
        }
    }

    private func fail(_ accepted: AcceptedRequest, _ failure: ContractError, _ logger: Logger) async throws {
        guard let anomalies = try await store.settle(accepted, with: failure) else { return }
        warn(of: anomalies, logger)
        metrics.finish(accepted.id, because: failure)
        logger.warning("request failed", [.code: failure.code.rawValue, .reason: failure.message])
    }

    private func warn(of anomalies: [Anomaly], _ logger: Logger) {
        for anomaly in anomalies {
            metrics.find(anomaly)
            logger.warning("anomaly", [.reason: anomaly.text])
        }
    }

    /// What a client is told of an error that trying again would meet again; throws those that pass.
    private func lastingFailure(_ error: any Error, _ logger: Logger) throws -> ContractError {
        switch error {
        case let failure as ContractError: return failure
        case is DatabaseError, is CancellationError: throw error
        default:
            logger.error("a request fails by a fault of ours", [.error: "\(error)"])
            return ContractError(.internal, "the request could not be done")
        }
    }
}
