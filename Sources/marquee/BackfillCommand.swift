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
        summary: "Has the worker fetch the charts of past days, newest first, and shows how far it is.",
        details: """
            FIRST and LAST are days, or yesterday. The worker goes on when this command is ended, and after a restart, within
            the day's quota over as many days as it takes; the same command shows it again, and so does one without days.
            Exit status: 0 all is in the log, 1 some charts are not to be had, or it was ended, 4 the worker does not answer.
            """,
        options: [
            Usage.Option(name: "--week", meaning: "the weekly charts too: of whole weeks, weekends and weekdays"),
            Usage.Option(name: "--movies", meaning: "the facts and posters of all films in the charts too"),
            Usage.Option(name: "--detach", meaning: "begin, and show nothing"),
            Usage.Option(name: "--stop", meaning: "end what was begun; what is in the log stays there"),
        ])

    /// What the worker's status tells about it.
    private struct Status: Decodable {
        struct Balance: Decodable {
            let limit: Int
            let leftForBackfill: Int
            let forBackfill: Int
        }

        let quota: [String: Balance]
        let backfill: BackfillProgress?
    }

    /// The body of the command that begins or stops it.
    private struct BackfillCommandBody: Encodable {
        var first: String?
        var last: String?
        var weeks = false
        var movies = false
        var stop: Bool?
    }

    private let order: BackfillCommandBody?
    private let isDetached: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        isDetached = arguments.has("--detach")
        if arguments.has("--stop") {
            try arguments.refusePositional()
            order = BackfillCommandBody(stop: true)
        } else if arguments.positional.isEmpty {
            try arguments.refuse("--week", "--movies", "--detach", because: "needs days: FIRST..LAST")
            order = nil
        } else {
            let days = try arguments.onlyPositional("FIRST..LAST").split(
                separator: "..", omittingEmptySubsequences: false)
            for day in days where day != "yesterday" && KoreanDate(day) == nil {
                throw UsageError("a day is YYYY-MM-DD, YYYYMMDD or yesterday, not \(String(day).debugDescription)")
            }
            guard days.count == 2 else { throw UsageError("the days are FIRST..LAST, such as 2003-11-11..yesterday") }
            order = BackfillCommandBody(
                first: String(days[0]), last: String(days[1]), weeks: arguments.has("--week"),
                movies: arguments.has("--movies"))
        }
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let io = try IOThread()
        let address = configuration.commands.reachable
        let client = try await CommandClient(io, address: address)
        do {
            if let order {
                let body = String(decoding: try JSON.encode(order), as: UTF8.self)
                let reply = try await withDeadline(.seconds(10), orThrow: ResponseTimeoutError(address: address)) {
                    try await client.ask("backfill", body)
                }
                if let failure = reply.failure {
                    Console.complain("marquee: \(failure.code.rawValue): \(failure.message)")
                    return failure.code.isRetryable ? .retryable : .failed
                }
                if isDetached || order.stop == true { return .done }
            }
            return try await watch(client, address)
        } catch let error as ResponseTimeoutError {
            Console.complain("marquee: \(error)")
            return .unanswered
        }
    }

    /// Shows how far it is until it is over or somebody ends the command.
    private func watch(_ client: CommandClient, _ address: String) async throws -> ExitStatus {
        let screen = ProgressScreen()
        var pace = RateEstimator()
        var isAnswered = false
        while true {
            do {
                let reply = try await withDeadline(.seconds(5), orThrow: ResponseTimeoutError(address: address)) {
                    try await client.ask("status")
                }
                let status = try JSON.decode(Status.self, from: reply.body)
                guard let progress = status.backfill else {
                    Console.complain("marquee: nothing is backfilled, and nothing was")
                    return .failed
                }
                isAnswered = true
                screen.show(line(status, progress, &pace), isLast: progress.isOver)
                if progress.isOver { return progress.done == progress.total ? .done : .failed }
            } catch let error as ResponseTimeoutError {
                // A worker that is started again goes on where it was.
                guard isAnswered else { throw error }
                screen.complain("the worker does not answer; waiting for it")
            }
            try await Task.sleep(for: .seconds(1))
        }
    }

    private func line(_ status: Status, _ progress: BackfillProgress, _ pace: inout RateEstimator) -> ProgressLine {
        let settled = progress.done + progress.failed
        let balance = status.quota["kobis"]
        let (left, perDay) = (balance?.leftForBackfill ?? 0, balance?.forBackfill ?? 0)
        return ProgressLine(
            progress: progress,
            forecast: BackfillForecast(
                remaining: progress.total - settled, leftToday: left, perDay: perDay,
                rate: pace.rate(settled, at: ContinuousClock.now)),
            quota: (left, perDay), now: Date())
    }
}

/// How fast something grows, over the last half minute of growth.
struct RateEstimator {
    private var samples: [(time: ContinuousClock.Instant, count: Int)] = []

    /// Takes a sample; the rate a second is not known before the second. While nothing grows, it is that of before.
    mutating func rate(_ count: Int, at time: ContinuousClock.Instant) -> Double? {
        if samples.last.map({ $0.count != count }) ?? true { samples.append((time, count)) }
        if samples.count > 30 { samples.removeFirst() }
        guard let first = samples.first, let last = samples.last, last.time > first.time else { return nil }
        return Double(last.count - first.count) / (first.time.duration(to: last.time) / .seconds(1))
    }
}
