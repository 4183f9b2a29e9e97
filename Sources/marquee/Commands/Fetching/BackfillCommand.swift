import BoxOffice
import Concurrency
import Contract
import FoundationEssentials
import Glibc
import JSONCoding
import Messaging
import Operations
import Worker
import ZeroMQ

/// `marquee backfill`
struct BackfillCommand: Subcommand {
    static let usage = Usage(
        name: "backfill", arguments: "[FIRST..LAST]",
        summary: "Makes the worker fetch the charts of past days, newest first, and shows the progress.",
        details: """
            FIRST and LAST are days, or yesterday. The worker continues after this command ends, after a restart, and within
            the quota of each day for as many days as necessary. The same command shows the progress again, also without
            days. Exit status: 0 all is in the log, 1 some charts are not available, or it was stopped, 4 no answer.
            """,
        options: [
            Usage.Option(name: "--week", meaning: "also the weekly charts: of whole weeks, weekends and weekdays"),
            Usage.Option(name: "--movies", meaning: "also the facts and posters of all movies in the charts"),
            Usage.Option(name: "--detach", meaning: "start, and show no progress"),
            Usage.Option(name: "--stop", meaning: "stop the backfill; the log keeps what was fetched"),
        ])

    /// The part of the worker's status about backfills.
    private struct Status: Decodable {
        struct Balance: Decodable {
            let limit: Int
            let leftForBackfill: Int
            let forBackfill: Int
        }

        let quota: [String: Balance]
        let backfill: BackfillProgress?
    }

    /// The body of the command that starts or stops a backfill.
    private struct BackfillCommandBody: Encodable {
        var first: String?
        var last: String?
        var weeks = false
        var movies = false
        var stop: Bool?
    }

    private let command: BackfillCommandBody?
    private let isDetached: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        isDetached = arguments.has("--detach")
        if arguments.has("--stop") {
            try arguments.rejectPositional()
            command = BackfillCommandBody(stop: true)
        } else if arguments.positional.isEmpty {
            try arguments.reject("--week", "--movies", "--detach", because: "needs FIRST..LAST")
            command = nil
        } else {
            let days = try arguments.onlyPositional("FIRST..LAST").split(
                separator: "..", omittingEmptySubsequences: false)
            for day in days where day != "yesterday" && KoreanDate(day) == nil {
                throw UsageError("a day must be YYYY-MM-DD, YYYYMMDD or yesterday, not \(String(day).debugDescription)")
            }
            guard days.count == 2 else {
                throw UsageError("the days must be FIRST..LAST, such as 2003-11-11..yesterday")
            }
            command = BackfillCommandBody(
                first: String(days[0]), last: String(days[1]), weeks: arguments.has("--week"),
                movies: arguments.has("--movies"))
        }
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let io = try IOThread()
        let address = configuration.commands.reachable
        let client = try await CommandClient(io, address: address)
        do {
            if let command {
                let body = String(decoding: try JSON.encode(command), as: UTF8.self)
                let reply = try await withDeadline(.seconds(10), orThrow: ResponseTimeoutError(address: address)) {
                    try await client.ask("backfill", body)
                }
                if let failure = reply.failure {
                    Console.printError("marquee: \(failure.code.rawValue): \(failure.message)")
                    return failure.code.isRetryable ? .retryable : .failed
                }
                if isDetached || command.stop == true { return .done }
            }
            return try await watch(client, address)
        } catch let error as ResponseTimeoutError {
            Console.printError("marquee: \(error)")
            return .timedOut
        }
    }

    /// Shows the progress until the backfill is over.
    private func watch(_ client: CommandClient, _ address: String) async throws -> ExitStatus {
        let screen = ProgressScreen()
        var rate = RateEstimator()
        var isAnswered = false
        while true {
            do {
                let reply = try await withDeadline(.seconds(5), orThrow: ResponseTimeoutError(address: address)) {
                    try await client.ask("status")
                }
                let status = try JSON.decode(Status.self, from: reply.body)
                guard let progress = status.backfill else {
                    Console.printError("marquee: there is no backfill: start one with FIRST..LAST")
                    return .failed
                }
                isAnswered = true
                screen.show(line(status, progress, &rate), isLast: progress.isOver)
                if progress.isOver { return progress.done == progress.total ? .done : .failed }
            } catch let error as ResponseTimeoutError {
                // A restarted worker continues the backfill.
                guard isAnswered else { throw error }
                screen.showWarning("the worker does not answer; waiting for it")
            }
            try await Task.sleep(for: .seconds(1))
        }
    }

    private func line(_ status: Status, _ progress: BackfillProgress, _ rate: inout RateEstimator) -> ProgressLine {
        let settled = progress.done + progress.failed
        let balance = status.quota["kobis"]
        let (left, perDay) = (balance?.leftForBackfill ?? 0, balance?.forBackfill ?? 0)
        return ProgressLine(
            progress: progress,
            forecast: BackfillForecast(
                remaining: progress.total - settled, leftToday: left, perDay: perDay,
                rate: rate.perSecond(settled, at: ContinuousClock.now)),
            quota: (left, perDay), now: Date())
    }
}

/// Estimates the rate of a counter over its last 30 changes.
struct RateEstimator {
    private var samples: [(time: ContinuousClock.Instant, count: Int)] = []

    /// Adds a sample and returns the rate per second: nil before the second change; unchanged while the count does not
    /// change.
    mutating func perSecond(_ count: Int, at time: ContinuousClock.Instant) -> Double? {
        if samples.last.map({ $0.count != count }) ?? true { samples.append((time, count)) }
        if samples.count > 30 { samples.removeFirst() }
        guard let first = samples.first, let last = samples.last, last.time > first.time else { return nil }
        return Double(last.count - first.count) / (first.time.duration(to: last.time) / .seconds(1))
    }
}
