import BoxOffice
import Contract
import FoundationEssentials
import Glibc
import JSONCoding
import Messaging
import ServiceRuntime
import Text
import Worker
import ZeroMQ

struct BackfillCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "backfill", arguments: "[FIRST..LAST]",
            summary: localized(
                "과거 데이터를 최근 날짜부터 수집하고 진행 상황을 보여 줍니다.",
                "Makes the worker fetch the charts of past days, newest first, and shows the progress."),
            details: localized(
                """
                FIRST와 LAST는 날짜 또는 yesterday입니다. 이 명령을 종료하거나 수집 서버를 다시 시작해도 수집은 계속되며, 하루 API
                호출 한도 안에서 며칠에 걸쳐 진행됩니다. 날짜 없이 실행하면 진행 상황을 다시 보여 줍니다.

                종료 코드: 0 모두 수집됨, 1 수집할 수 없는 박스오피스가 있거나 중지됨(또는 중지할 작업이 없음), 4 응답 없음
                """,
                """
                FIRST and LAST are days, or yesterday. The worker continues after this command ends, after a restart, and
                within the quota of each day for as many days as necessary. The same command shows the progress again, also
                without days.

                Exit status: 0 all is in the log, 1 some charts are not available, or it was stopped, or
                there was nothing to stop, 4 no answer.
                """),
            options: [
                Usage.Option(
                    "--week", "주간·주말·주중 박스오피스도 수집", "also the weekly charts: of whole weeks, weekends and weekdays"),
                Usage.Option(
                    "--movies", "박스오피스에 있는 모든 영화의 정보와 포스터도 수집",
                    "also the facts and posters of all movies in the charts"),
                Usage.Option("--detach", "시작만 하고 진행 상황을 보지 않음", "start, and show no progress"),
                Usage.Option("--stop", "수집을 중지(수집된 데이터는 그대로 남음)", "stop the backfill; the log keeps what was fetched"),
            ])
    }

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
            try arguments.reject(
                "--week", "--movies", "--detach", because: "옵션에는 FIRST..LAST가 필요합니다", "needs FIRST..LAST")
            command = nil
        } else {
            let days = try arguments.onlyPositional("FIRST..LAST").split(
                separator: "..", omittingEmptySubsequences: false)
            for day in days {
                _ = try arguments.date(String(day))
            }
            guard days.count == 2 else {
                throw UsageError(
                    "날짜는 FIRST..LAST 형식으로 지정하세요. 예: 2003-11-11..yesterday",
                    "the days must be FIRST..LAST, such as 2003-11-11..yesterday")
            }
            command = BackfillCommandBody(
                first: String(days[0]), last: String(days[1]), weeks: arguments.has("--week"),
                movies: arguments.has("--movies"))
        }
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let io = try configuration.makeClientThread()
        let client = try await CommandClient(io, addresses: configuration.reachableCommands)
        let isStop = command?.stop == true
        if isStop, try await status(client).backfill?.isOver ?? true {
            Console.printError("marquee: 중지할 과거 데이터 수집 작업이 없습니다", "marquee: there is no backfill to stop")
            return .failed
        }
        if let command {
            let reply = try await client.ask("backfill", try JSON.text(command), within: .seconds(10))
            if let failure = reply.failure { return failure.report() }
        }
        // The stopped job is the newest one that is over, and the worker keeps it.
        if isStop, let stopped = try await status(client).backfill { report(stop: stopped) }
        return isStop || isDetached ? .done : try await watch(client)
    }

    /// Prints what was stopped, and how much of it is in the log.
    private func report(stop progress: BackfillProgress) {
        let days = "\(progress.first)..\(progress.last)"
        Console.print(
            "\(days) 수집을 중지했습니다. \(progress.total.grouped)건 중 \(progress.done.grouped)건을 수집했습니다",
            "stopped the backfill of \(days); \(progress.done.grouped) of \(progress.total.grouped) are in the log")
    }

    private func status(_ client: CommandClient) async throws -> ProcessStatus {
        try JSON.decode(from: try await client.ask("status", within: .seconds(5)).body)
    }

    /// Shows the progress until the backfill is done: on a terminal in a line that is replaced, else in one at the beginning
    /// and one at the end.
    private func watch(_ client: CommandClient) async throws -> ExitStatus {
        var rate = RateEstimator()
        var isAnswered = false
        while true {
            do {
                let status = try await status(client)
                guard let progress = status.backfill else {
                    Console.printError(
                        "marquee: 과거 데이터 수집 작업이 없습니다. FIRST..LAST를 지정해 시작하세요",
                        "marquee: there is no backfill: start one with FIRST..LAST")
                    return .failed
                }
                let calls = status.quota["kobis"]
                let end = backfillEnd(
                    from: Date(), remaining: progress.total - progress.settled, leftToday: calls?.leftForBackfill ?? 0,
                    perDay: calls?.forBackfill ?? 0, rate: rate.perSecond(progress.settled, at: ContinuousClock.now))
                show(progress.line(end: end), isFirst: !isAnswered, isLast: progress.isOver)
                isAnswered = true
                if progress.isOver { return progress.done == progress.total ? .done : .failed }
            } catch let error as ResponseTimeoutError {
                // A restarted worker continues the backfill.
                guard isAnswered else { throw error }
                show(
                    localized("수집 서버가 응답하지 않아 기다리는 중입니다", "the worker does not answer; waiting for it"))
            }
            try await Task.sleep(for: .seconds(1))
        }
    }

    private func show(_ line: String, isFirst: Bool = false, isLast: Bool = false) {
        if Console.canRewrite {
            Console.rewrite(line.prefix(columns: Console.width - 1), isLast: isLast)
        } else if isFirst || isLast {
            Console.print(line)
        }
    }
}

extension BackfillProgress {
    /// The number of charts and movies that are in the log, or are not available.
    var settled: Int { done + failed }

    /// How many are settled of all, and how many are not available, if any.
    func counts(in language: Language) -> [String] {
        let (settled, total) = (settled.grouped, total.grouped)
        let count = language("\(settled) / \(total)건", "\(settled) of \(total)")
        guard failed > 0 else { return [count] }
        return [count, language("수집 실패 \(failed.grouped)건", "\(failed.grouped) not available")]
    }

    /// Whether it is done or rests; nil while it goes on.
    func state(in language: Language) -> String? {
        if isOver { return language("완료", "done") }
        return rests.map { language("일시 중지: \($0.korean)", "paused: \($0.rawValue)") }
    }

    /// The progress in one line, with the estimated end while it is not done.
    func line(end: Date?, in language: Language = .current) -> String {
        var parts = counts(in: language)
        if let state = state(in: language) { parts.append(state) }
        if !isOver, let minute = end?.koreanText.dropLast(":00".count) {
            parts.append(language("\(minute) 완료 예정", "ends \(minute) in Korea"))
        }
        return parts.joined(separator: " · ")
    }
}

/// Returns the estimated end of a backfill by its recent rate per second and its calls, those left today and those of a
/// day; nil if the rate is unknown, or no day has calls for backfills.
func backfillEnd(from now: Date, remaining: Int, leftToday: Int, perDay: Int, rate: Double?) -> Date? {
    guard let rate, rate > 0 else { return nil }
    guard remaining > leftToday else { return now + Double(remaining) / rate }
    guard perDay > 0 else { return nil }
    let days = (remaining - leftToday + perDay - 1) / perDay
    let last = remaining - leftToday - (days - 1) * perDay
    return (KoreanDate(at: now) + days).start + Double(last) / rate
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
