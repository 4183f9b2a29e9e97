import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import ServiceRuntime
import Text

struct ExportCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "export",
            summary: localized(
                "수집된 일별 박스오피스를 날짜순으로 CSV나 JSON으로 출력합니다.",
                "Prints the daily charts of the worker's log, day by day, as CSV or JSON."),
            details: localized(
                """
                CSV(RFC 4180)에는 날짜별 최신 집계를 영화마다 한 행씩 기록합니다. 수집 서버가 실행 중일 때도 읽을 수 있습니다. 요청한
                적이 없는 날짜는 나오지 않으며, 해당 기간에 하나도 없으면 실패합니다.
                """,
                """
                CSV (RFC 4180) has a line for each line of the newest revision of each day. Reads the log also while the worker
                runs. Days that were never requested are omitted; fails if that is all of them.
                """),
            options: [
                Usage.Option("--csv", "열 이름을 포함한 표", "a table of all lines, with column names"),
                Usage.Option("--json", "박스오피스 이벤트를 한 줄에 하나씩", "the charts' events, one JSON object a line"),
                Usage.Option("--from", value: "DATE", "시작일(기본값 2003-11-11)", "the first day (default 2003-11-11)"),
                Usage.Option("--to", value: "DATE", "종료일(기본값 yesterday)", "the last day (default yesterday)"),
            ] + Usage.Option.market)
    }

    private let isTable: Bool
    private let first: KoreanDate
    private let last: KoreanDate
    private let market: Market

    init(_ arguments: Arguments) throws(UsageError) {
        isTable = arguments.has("--csv")
        guard isTable != arguments.has("--json") else {
            throw UsageError("--csv와 --json 중 하나를 지정하세요", "export needs one of --csv and --json")
        }
        first = try arguments.value("--from").map { text throws(UsageError) in try arguments.date(text) } ?? .firstChart
        last = try arguments.date(arguments.value("--to") ?? "yesterday")
        guard first <= last else {
            throw UsageError("--from \(first) 날짜가 --to \(last) 날짜보다 늦습니다", "--from \(first) is after --to \(last)")
        }
        market = try arguments.market()
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        var days = 0
        let log = try configuration.existingLogDatabase(ofAlerts: false)
        try log.history(onUnreadable: Console.printUnreadable) { history in
            if isTable { Console.printRecords([ChartCSV.head]) }
            try history.forEachDay(from: first, through: last, in: market) { event in
                days += 1
                guard isTable else { return Console.print(String(decoding: event.body, as: UTF8.self)) }
                if let revision = history.revision(of: event) { Console.printRecords(ChartCSV.rows(of: revision)) }
            }
        }
        guard days > 0 else {
            Console.printError(
                "marquee: \(first)~\(last) 일별 박스오피스가 아직 수집되지 않았습니다. `marquee backfill`로 수집하세요",
                "marquee: the log has no chart from \(first) to \(last); fetch them with `marquee backfill`")
            return .failed
        }
        return .done
    }
}

/// Formats charts as CSV rows (RFC 4180), without the line end of each row.
enum ChartCSV {
    /// The row of column names.
    static let head =
        "date,market,state,revision,learnt,"
        + ChartEntry.Field.allCases.map(\.rawValue).joined(separator: ",")

    /// Returns a row for each line of a chart.
    static func rows(of revision: ChartRevision) -> [String] {
        let chart = revision.chart
        let learnt = Timestamp.text(revision.recordedAt)
        let start = ["\(chart.date)", "\(chart.market)", chart.state.rawValue, "\(chart.revision)", learnt]
        return chart.entries.map { entry in
            (start + ChartEntry.Field.allCases.map { entry[$0].bare }).joined(separator: ",")
        }
    }
}

extension ChartEntry.Value {
    /// The value as a cell; empty if there is none.
    fileprivate var bare: String {
        switch self {
        case .null: ""
        case .flag(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .percent(let percent): "\(percent)"
        case .text(let text): text.csvCell
        }
    }
}
