import BoxOffice
import Contract
import FoundationEssentials
import Glibc
import Messaging
import Notifier
import Operations
import ZeroMQ

/// `marquee up`
struct UpCommand: Subcommand {
    static let usage = Usage(
        name: "up",
        summary: "Starts worker, notifier and board, and the sandbox if there are no keys, and shows the charts.",
        details: """
            All processes stop with this command; one that ends before is started again. Logs and databases are in
            MARQUEE_DATA, or in its folder `sandbox` without keys. SIGHUP makes the notifier read MARQUEE_RULES again.
            """,
        options: [
            Usage.Option(name: "--days", value: "N", meaning: "how many days to ask for at the start (default 7)")
        ])

    private let days: Int

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.rejectPositional()
        days =
            try arguments.value("--days", expected: "a number from 1 to 100") { text in
                Int(text).flatMap { (1...100).contains($0) ? $0 : nil }
            } ?? 7
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let signals = TerminationSignals(reloadsOnHangup: true)
        // A mistake in the rules is reported before anything runs.
        let sinks = try configuration.ruleFile().sinks
        let children = try ChildProcessGroup(
            configuration, notifierSharesOutput: sinks.contains(where: \.writesToStandardOutput))
        switch await firstEnding(of: children, signals, configuration) {
        case .stopped: return .done
        case .failed(let message):
            Console.printError("marquee: \(message)")
            return .failed
        }
    }

    /// The time that the processes have to end after SIGTERM, before SIGKILL.
    private static let grace = Duration.milliseconds(1_500)
    /// A process that ends by itself within this time of its first start cannot run with this configuration.
    private static let startPeriod = Duration.seconds(5)
    /// The pause before the first restart of a process; each further one is twice as long, up to a limit.
    private static let firstPause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(60)

    /// The reason why the command ends.
    private enum Ending: Sendable {
        case stopped
        case failed(String)
    }

    /// Runs the processes and shows charts until a signal or an error; then stops all processes and returns the reason.
    private func firstEnding(
        of children: ChildProcessGroup, _ signals: TerminationSignals, _ configuration: Configuration
    ) async -> Ending {
        await withTaskGroup(of: Ending.self) { tasks in
            tasks.addTask {
                await signals.first()
                return .stopped
            }
            tasks.addTask {
                for await _ in signals.reloads { reloadRules(configuration, children) }
                return .stopped
            }
            for role in children.roles {
                tasks.addTask {
                    do {
                        return try await keepRunning(role, of: children)
                    } catch {
                        return .failed("\(error)")
                    }
                }
            }
            tasks.addTask {
                do {
                    try await show(configuration, children)
                    return .stopped
                } catch {
                    return .failed("\(error)")
                }
            }
            let first = await tasks.next() ?? .stopped
            await children.stop(grace: Self.grace)
            tasks.cancelAll()
            return first
        }
    }

    /// Makes the notifier read the rule file again; prints the mistakes of a file that cannot be used.
    private func reloadRules(_ configuration: Configuration, _ children: ChildProcessGroup) {
        do {
            _ = try configuration.ruleFile()
            children.signal(SIGHUP, to: "notifier")
        } catch {
            Console.printError("\(error)\nmarquee: the former rules stay in force")
        }
    }

    /// Starts the process of a role, and starts it again whenever it ends, until the group stops.
    private func keepRunning(_ role: String, of children: ChildProcessGroup) async throws -> Ending {
        var pause = Self.firstPause
        var isFirst = true
        while let child = try children.start(role) {
            let status = await child.ended()
            let cause = "\(child.cause(of: status)) (\(child.logPath))"
            if isFirst, status > 0, child.uptime < Self.startPeriod {
                return .failed("the \(role) does not start: \(cause)")
            }
            if children.isStopping { break }
            if child.uptime > Self.longestPause { pause = Self.firstPause }
            Console.printError("marquee: the \(role) starts again in \(pause.components.seconds) s: \(cause)")
            try await Task.sleep(for: pause)
            pause = min(pause * 2, Self.longestPause)
            isFirst = false
        }
        return .stopped
    }

    /// Requests the last days, the oldest first, and prints their charts and alerts until the task is cancelled.
    private func show(_ configuration: Configuration, _ children: ChildProcessGroup) async throws {
        let io = try configuration.makeClientThread()
        let yesterday = KoreanDate.yesterday(at: Date())
        printHeader(configuration, children)
        let alerts = try await EventReader(io, address: configuration.alerts.reachable, prefixes: ["alert."])
        let charts = try await EventReader(
            io, address: configuration.events.reachable, prefixes: ["ranking.day.all.\(yesterday)"])
        let client = RequestClient(
            io, commands: configuration.commands.reachable, events: configuration.events.reachable)
        // The requests wait for both subscriptions: an event that is published earlier would not be shown.
        let (chartsAreLive, chartsLive) = AsyncStream.makeStream(of: Never.self)
        let (alertsAreLive, alertsLive) = AsyncStream.makeStream(of: Never.self)
        try await withThrowingTaskGroup { tasks in
            tasks.addTask {
                _ = try await charts.read { events, isLive -> Never? in
                    if isLive { chartsLive.finish() }
                    for event in events { try printChart(event) }
                    return nil
                }
            }
            tasks.addTask {
                _ = try await alerts.read { events, isLive -> Never? in
                    if isLive { alertsLive.finish() }
                    // The notifier prints them itself if the rule file says so.
                    for event in events where !children.notifierSharesOutput {
                        Console.print(EventFormatter(event: event).text)
                    }
                    return nil
                }
            }
            tasks.addTask {
                for await _ in chartsAreLive {}
                for await _ in alertsAreLive {}
                try await requestDays(through: yesterday, client)
            }
            try await tasks.waitForAll()
        }
    }

    private func printHeader(_ configuration: Configuration, _ children: ChildProcessGroup) {
        Console.print(TerminalColor.bold.paint("marquee \(version)") + " · \(children.description)")
        Console.print(
            TerminalColor.dim.paint(
                "requests \(configuration.requests)  commands \(configuration.commands)  "
                    + "events \(configuration.events)  alerts \(configuration.alerts)"))
        Console.print("board " + TerminalColor.bold.paint("\(configuration.boardHTTP.url)/"))
    }

    private func printChart(_ event: Event) throws {
        Console.print("")
        ChartTable(chart: try event.data()).lines().forEach(Console.print)
        Console.print("")
    }

    /// Requests the charts of the last `days` days, the oldest first, and prints failures.
    private func requestDays(through yesterday: KoreanDate, _ client: RequestClient) async throws {
        for date in (0..<days).reversed().map({ yesterday - $0 }) where date >= .firstChart {
            do {
                let outcome = try await client.perform(Request(.day(date, .all)), within: .seconds(60))
                if case .failed(let failure) = outcome {
                    Console.print("\(date)  \(failure.code.rawValue): \(failure.message)")
                }
            } catch let error as ResponseTimeoutError {
                // The upstream may take longer. The worker keeps the request, and the chart is printed when it comes.
                Console.print("\(date)  \(error)")
            }
        }
    }
}
