import BoxOffice
import Concurrency
import Contract
import FoundationEssentials
import Glibc
import JSONCoding
import Messaging
import Notifier
import ServiceRuntime
import Text
import Worker
import YAML
import ZeroMQ

struct UpCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "up",
            summary: localized(
                "수집 서버, 알림 서버, 보드를 함께 시작하고 박스오피스를 보여 줍니다. 인증키가 없으면 샌드박스도 시작합니다.",
                "Starts worker, notifier and board, and the sandbox if there are no keys, and shows the charts."),
            details: localized(
                """
                이 명령을 종료하면 모든 프로세스가 종료됩니다. 실행 중에 종료된 프로세스는 자동으로 다시 시작합니다. 로그 파일과
                데이터베이스는 MARQUEE_DATA에, 인증키가 없으면 그 안의 `sandbox` 폴더에 있습니다. SIGHUP을 받으면 알림 서버가 MARQUEE_RULES를 다시 읽습니다.
                """,
                """
                All processes stop with this command; one that ends before is started again. Logs and databases are in
                MARQUEE_DATA, or in its folder `sandbox` without keys. SIGHUP makes the notifier read MARQUEE_RULES again.
                """),
            options: [
                Usage.Option(
                    "--days", value: "N", "시작할 때 요청할 일수(기본값 7)", "how many days to request at the start (default 7)")
            ])
    }

    private let days: Int

    init(_ arguments: Arguments) throws(UsageError) {
        days = try arguments.number("--days", in: 1...100) ?? 7
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let signals = TerminationSignals(reloadsOnHangup: true)
        // A mistake in the rules is reported before anything runs.
        let sinks = try configuration.ruleFile().sinks
        let children = try ChildProcessGroup(
            configuration, liveDays: days, notifierSharesOutput: sinks.contains(where: \.writesToStandardOutput))
        guard let failure = await firstFailure(of: children, signals, configuration) else { return .done }
        Console.printError("marquee: \(failure)")
        return .failed
    }

    /// The time that the processes have to end after SIGTERM, before SIGKILL.
    private static let grace = Duration.seconds(10)
    /// A process that ends by itself within this time of its first start cannot run with this configuration.
    private static let startPeriod = Duration.seconds(30)
    /// The pause before the first restart of a process; each further one is twice as long, up to a limit.
    private static let firstPause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(60)

    /// Runs the processes and shows charts until a signal or an error; then stops all processes and returns the error, if
    /// any.
    private func firstFailure(
        of children: ChildProcessGroup, _ signals: TerminationSignals, _ configuration: Configuration
    ) async -> String? {
        await withThrowingTaskGroup(of: String?.self) { tasks in
            tasks.addTask {
                await signals.first()
                return nil
            }
            tasks.addTask {
                for await _ in signals.reloads { reloadRules(configuration, children) }
                return nil
            }
            for role in children.roles {
                tasks.addTask { try await keepRunning(role, of: children) }
            }
            tasks.addTask {
                try await show(configuration, children)
                return nil
            }
            let failure: String?
            do {
                failure = try await tasks.next() ?? nil
            } catch {
                failure = Language.current.text(of: error)
            }
            await children.stop(grace: Self.grace)
            tasks.cancelAll()
            return failure
        }
    }

    /// Makes the notifier read the rule file again; prints the mistakes of a file that cannot be used.
    private func reloadRules(_ configuration: Configuration, _ children: ChildProcessGroup) {
        do {
            _ = try configuration.ruleFile()
            children.signal(SIGHUP, to: "notifier")
        } catch {
            let kept = localized("기존 규칙을 그대로 씁니다", "the former rules stay in force")
            let mistakes = (error as? ConfigurationDiagnosticsError)?.text(in: .current) ?? "\(error)"
            Console.printError("\(mistakes)\nmarquee: \(kept)")
        }
    }

    /// Starts the process of a role, and starts it again whenever it ends, until the group stops. Returns why it cannot run
    /// at all.
    private func keepRunning(_ role: String, of children: ChildProcessGroup) async throws -> String? {
        var pause = Self.firstPause
        var isFirst = true
        while let child = try children.start(role) {
            let status = await child.ended()
            let cause = child.cause(of: status)
            if isFirst, status > 0, child.uptime < Self.startPeriod {
                return localized("\(ChildProcess.korean(role)) 시작 실패: \(cause)", "the \(role) does not start: \(cause)")
            }
            if children.isStopping { break }
            if child.uptime > Self.longestPause { pause = Self.firstPause }
            let seconds = pause.components.seconds
            Console.printError(
                "marquee: \(ChildProcess.korean(role))를 \(seconds)초 뒤에 다시 시작합니다: \(cause)",
                "marquee: the \(role) starts again in \(seconds) s: \(cause)")
            try await Task.sleep(for: pause)
            pause = min(pause * 2, Self.longestPause)
            isFirst = false
        }
        return nil
    }

    /// Requests the last days, the oldest first, and prints their charts and alerts until the task is cancelled.
    private func show(_ configuration: Configuration, _ children: ChildProcessGroup) async throws {
        let io = try configuration.makeClientThread()
        let yesterday = KoreanDate.yesterday(at: Date())
        printHeader(configuration, children)
        let alerts = try await EventReader(io, addresses: configuration.reachableAlerts, prefixes: ["alert."])
        let charts = try await EventReader(
            io, addresses: configuration.reachableEvents, prefixes: ["ranking.day.all.\(yesterday)"])
        let client = RequestClient(
            io, commands: configuration.reachableCommands, events: configuration.reachableEvents)
        // The requests wait for both subscriptions: an event that is published earlier would not be shown.
        let (chartsWait, alertsWait) = (WakeSignal(), WakeSignal())
        try await withThrowingTaskGroup { tasks in
            tasks.addTask {
                _ = try await charts.read { events, isLive -> Never? in
                    if isLive { chartsWait.stop() }
                    for event in events { try ([""] + ChartText(event).lines() + [""]).forEach(Console.print) }
                    return nil
                }
            }
            tasks.addTask {
                _ = try await alerts.read { events, isLive -> Never? in
                    if isLive { alertsWait.stop() }
                    // The notifier prints them itself if the rule file says so.
                    for event in events where !children.notifierSharesOutput {
                        Console.print(EventFormatter(event: event).text)
                    }
                    return nil
                }
            }
            tasks.addTask {
                await chartsWait.waitForStop()
                await alertsWait.waitForStop()
                try await waitForHistory(io, configuration.reachableCommands, ofNewLog: children.beginsNewLog)
                try await requestDays(through: yesterday, client)
            }
            try await tasks.waitForAll()
        }
    }

    private func printHeader(_ configuration: Configuration, _ children: ChildProcessGroup) {
        Console.print(TerminalColor.bold.paint("marquee \(version)") + " · \(children.description)")
        let addresses = [
            (localized("요청", "requests"), configuration.requests),
            (localized("명령", "commands"), configuration.commands),
            (localized("이벤트", "events"), configuration.events), (localized("알림", "alerts"), configuration.alerts),
        ]
        Console.print(TerminalColor.dim.paint(addresses.map { "\($0) \($1)" }.joined(separator: "  ")))
        Console.print(localized("보드 ", "board ") + TerminalColor.bold.paint("\(configuration.boardHTTP.url)/"))
    }

    /// Waits while the worker fetches what the alerts of a new log rest on. If that pauses, the charts come first.
    ///
    /// - Parameter isNew: whether the log began with this command, so that its history is announced even if it is over.
    private func waitForHistory(_ io: IOThread, _ commands: [String], ofNewLog isNew: Bool) async throws {
        let client = try await CommandClient(io, addresses: commands)
        var isAnnounced = false
        while true {
            do {
                let reply = try await client.ask("status", within: .seconds(5))
                guard reply.failure == nil, let job = try JSON.decode(ProcessStatus.self, from: reply.body).backfill,
                    job.isInitial
                else { break }
                let isRunning = !job.isOver && job.rests == nil
                if !isAnnounced, isNew || isRunning {
                    isAnnounced = true
                    Console.print(
                        "알림에 필요한 과거 데이터를 먼저 수집합니다: \(job.first) ~ \(job.last)",
                        "fetching the past days that alerts count: \(job.first) to \(job.last)")
                }
                guard isRunning else { break }
            } catch is ResponseTimeoutError {
                // A restarted worker continues.
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        await client.close()
    }

    /// Requests the charts of the last `days` days, the oldest first, and prints failures.
    private func requestDays(through yesterday: KoreanDate, _ client: RequestClient) async throws {
        for date in (0..<days).reversed().map({ yesterday - $0 }) where date >= .firstChart {
            do {
                let outcome = try await client.perform(Request(.day(date, .all)), within: .seconds(60))
                if case .failed(let failure) = outcome {
                    Console.print("\(date)  \(failure.summary())")
                }
            } catch let error as ResponseTimeoutError {
                // The upstream may take longer. The worker keeps the request, and the chart is printed when it comes.
                Console.print("\(date)  \(error.text())")
            }
        }
    }
}
