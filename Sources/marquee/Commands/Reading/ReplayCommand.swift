import BoxOffice
import Contract
import EventStore
import Health
import Notifier
import ServiceRuntime
import Storage
import Text
import Worker

struct ReplayCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "replay",
            summary: localized(
                "수집 서버의 이벤트 로그로 알림을 다시 계산해 한 줄에 하나씩 JSON으로 출력합니다.",
                "Computes the alerts of a worker's log again and prints each as a line of JSON."),
            details: localized(
                """
                한 줄에 알림 이벤트의 id와 data가 들어가므로, 두 번 실행한 결과나 알림 서버의 로그와 바이트 단위로 비교할 수 있습니다.
                아무것도 발행하거나 바꾸지 않습니다. --baseline과 --as가 없으면, 지금 --since로 시작한 알림 서버가 발행할 알림을
                출력합니다. 즉 모든 날짜의 박스오피스가 날짜순으로 들어온 것으로 보고 계산합니다.

                --dry-run은 저장된 과거 데이터를 현재 수치로 날짜순 재생했을 때 이 규칙이었다면 발생했을 알림을 한 줄에 하나씩,
                마지막에 합계를 출력합니다.
                """,
                """
                A line has the id and the data of the alert's event, so that two runs and the notifier's log can be compared
                byte for byte. Nothing is published or changed. Without --baseline and --as it prints what
                `marquee notifier --since DATE` would publish today: the alerts of all days, as if their charts had come in order.

                With --dry-run it prints the alerts that the rules would have fired over the stored history, if each day's
                chart had come in order with its present figures: one line of text for each, and a sum.
                """),
            options: options)
    }

    private static var options: [Usage.Option] {
        [
            Usage.Option(
                "--from", value: "LOG", "수집 서버의 데이터베이스(파일이나 postgresql://…)나 그 백업(기본값: 설정된 데이터베이스)",
                "the worker's database, a file or postgresql://…, or a backup (default: the configured one)"),
            Usage.Option(
                "--rules", value: "FILE", "규칙 파일(기본값: MARQUEE_RULES, 없으면 기본 규칙)",
                "the rules (default: MARQUEE_RULES, or the built-in ones)"),
            Usage.Option(
                "--since", value: "DATE", "이미 수집된 박스오피스 중 DATE 이후의 것만 알림 대상(기본값: 전체)",
                "of the charts that were there before, those from DATE on fire (default: all)"),
            Usage.Option(
                "--dry-run", "이 규칙이었다면 발생했을 알림을 날짜순으로 출력",
                "print the alerts that the rules would have fired, day by day"),
            Usage.Option(
                "--baseline", value: "N", "ranking 스트림의 이 이벤트 번호까지의 박스오피스는 알림에서 제외",
                "charts up to this sequence of the ranking stream fire nothing"),
            Usage.Option(
                "--as", value: "DB", "--baseline과 --since를 알림 서버의 데이터베이스에서 읽음(그 로그와 비교할 때)",
                "take --baseline and --since from a notifier's database, to compare with its log"),
        ]
    }

    private let log: String?
    private let rules: String?
    private let since: KoreanDate?
    private let baseline: SequenceNumber?
    private let notifier: String?
    private let isDryRun: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        log = arguments.value("--from")
        rules = arguments.value("--rules")
        since = try arguments.day("--since")
        baseline = try arguments.value("--baseline", expected: localized("이벤트 번호", "a sequence number")) {
            UInt64($0).flatMap(SequenceNumber.init)
        }
        notifier = arguments.value("--as")
        isDryRun = arguments.has("--dry-run")
        if notifier != nil {
            try arguments.reject(
                "--baseline", "--since", because: "옵션은 --as와 함께 쓸 수 없습니다. 데이터베이스에서 읽습니다",
                "does not apply with --as, which reads it from the database")
        }
        if isDryRun {
            try arguments.reject(
                "--baseline", "--as", because: "옵션은 --dry-run과 함께 쓸 수 없습니다", "does not apply with --dry-run")
        }
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let log =
            try log.map { WorkerProcess.log(in: DatabaseLocation($0, of: .worker)) }
            ?? configuration.existingLogDatabase(ofAlerts: false)
        let rules = try configuration.ruleFile(rules).rules
        guard !isDryRun else {
            return try dryRun(AlertReplay(rules: rules, since: since, onUnreadable: Console.printUnreadable), log)
        }
        var position = baseline.map { BaselinePosition(ends: [.ranking: $0]) }
        var since = since ?? (baseline == nil ? KoreanDate.firstChart : nil)
        if let notifier {
            let log = NotifierProcess.log(in: DatabaseLocation(notifier, of: .notifier))
            (position, since) = try NotifierProcess.baseline(in: log)
        }
        let replay = AlertReplay(
            rules: rules, since: since, baseline: position, onUnreadable: Console.printUnreadable)
        try replay.run(log) { alert in Console.print(String(decoding: AlertReplay.json(alert), as: UTF8.self)) }
        return .done
    }

    private func dryRun(_ replay: AlertReplay, _ log: LogDatabase) throws -> ExitStatus {
        var counts: [AlertRule: Int] = [:]
        try replay.dryRun(log) { alert in
            counts[alert.rule, default: 0] += 1
            Console.print("\(alert.date)  \(localized(alert.text.ko, alert.text.en))")
        }
        let sums = AlertRule.allCases.compactMap { rule in counts[rule].map { "\(rule.rawValue) \($0.grouped)" } }
        let total = counts.values.reduce(0, +)
        let count = localized("알림 \(total.grouped)건", total == 1 ? "1 alert" : "\(total.grouped) alerts")
        Console.print(count + (total == 0 ? "" : ": \(sums.joined(separator: ", "))"))
        return .done
    }
}
