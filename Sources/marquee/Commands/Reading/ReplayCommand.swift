import BoxOffice
import Contract
import EventStore
import Notifier
import Operations
import Worker

/// `marquee replay`
struct ReplayCommand: Subcommand {
    static let usage = Usage(
        name: "replay", summary: "Computes the alerts of a worker's log again and prints each as a line of JSON.",
        details: """
            A line has the id and the data of the alert's event, so that two runs and the notifier's log can be compared
            byte for byte. Nothing is published or changed. Without --learned and --as it prints what a notifier that is
            started now with --since publishes: the alerts of all days, as if each day's chart had come in its order.

            With --dry-run it prints the alerts that the rules would have fired over the stored history, if each day's
            chart had come in order with its present figures: one line of text for each, and a sum.
            """,
        options: [
            Usage.Option(
                name: "--from", value: "LOG",
                meaning: "the worker's database, or a backup of it (default: in MARQUEE_DATA)"),
            Usage.Option(
                name: "--rules", value: "FILE", meaning: "the rules (default: MARQUEE_RULES, or the built-in ones)"),
            Usage.Option(
                name: "--since", value: "DATE",
                meaning: "of the charts that were there before, those from DATE on fire (default: all)"
            ),
            Usage.Option(name: "--dry-run", meaning: "print the alerts that the rules would have fired, day by day"),
            .ranks,
            Usage.Option(
                name: "--learned", value: "N",
                meaning: "charts up to this sequence of the ranking stream fire nothing"),
            Usage.Option(
                name: "--as", value: "DB",
                meaning: "take --learned and --since from a notifier's database, to compare with its log"),
        ])

    private let log: String?
    private let rules: String?
    private let since: KoreanDate?
    private let ranks: Int?
    private let learned: SequenceNumber?
    private let notifier: String?
    private let isDryRun: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.rejectPositional()
        log = arguments.value("--from")
        rules = arguments.value("--rules")
        since = try arguments.value("--since", expected: "a date such as 2024-06-04") { KoreanDate($0) }
        ranks = try arguments.ranks()
        learned = try arguments.value("--learned", expected: "a sequence number") {
            UInt64($0).flatMap(SequenceNumber.init)
        }
        notifier = arguments.value("--as")
        isDryRun = arguments.has("--dry-run")
        if rules != nil {
            try arguments.reject("--ranks", because: "does not apply with --rules: set `by` in that file instead")
        }
        if notifier != nil {
            try arguments.reject(
                "--learned", "--since", because: "does not apply with --as, which reads it from the database")
        }
        if isDryRun { try arguments.reject("--learned", "--as", because: "does not apply with --dry-run") }
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let log = try log.map(WorkerProcess.logFile(at:)) ?? configuration.existingLogDatabase(ofAlerts: false)
        let rules = try configuration.ruleFile(rules, ranks: ranks).rules
        guard !isDryRun else { return try dryRun(AlertReplay(rules: rules, since: since), log) }
        var baseline = learned.map { BaselinePosition(ends: [.ranking: $0]) }
        var since = since ?? (learned == nil ? KoreanDate.firstChart : nil)
        if let notifier { (baseline, since) = try NotifierProcess.baseline(in: NotifierProcess.logFile(at: notifier)) }
        try AlertReplay(rules: rules, since: since, baseline: baseline).run(log) { alert in
            Console.print(String(decoding: AlertReplay.json(alert), as: UTF8.self))
        }
        return .done
    }

    private func dryRun(_ replay: AlertReplay, _ log: LogDatabase) throws -> ExitStatus {
        var counts: [AlertRule: Int] = [:]
        try replay.dryRun(log) { alert in
            counts[alert.rule, default: 0] += 1
            Console.print("\(alert.date)  \(Language.current(alert.text.ko, alert.text.en))")
        }
        let sums = AlertRule.allCases.compactMap { rule in counts[rule].map { "\(rule.rawValue) \($0.grouped)" } }
        let total = counts.values.reduce(0, +)
        Console.print("\(total.grouped) alerts" + (total == 0 ? "" : ": \(sums.joined(separator: ", "))"))
        return .done
    }
}
