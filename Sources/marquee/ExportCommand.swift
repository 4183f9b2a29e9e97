import BoxOffice
import EventStore
import FoundationEssentials
import Operations

/// `marquee export`
struct ExportCommand: Subcommand {
    static let usage = Usage(
        name: "export", summary: "Prints the daily charts of the worker's log, day by day, as CSV or JSON.",
        details: """
            CSV has a line for each line of the newest revision of each day, as RFC 4180 has it. Reads the log also while
            the worker runs. Days that nobody has asked for are left out.
            """,
        options: [
            Usage.Option(name: "--csv", meaning: "a table of all lines, with a head"),
            Usage.Option(name: "--json", meaning: "the charts' events, one JSON object a line"),
            Usage.Option(name: "--from", value: "DATE", meaning: "the first day (default 2003-11-11)"),
            Usage.Option(name: "--to", value: "DATE", meaning: "the last day (default yesterday)"),
            Usage.Option(name: "--nation", value: "K|F", meaning: "the charts of only Korean or only foreign films"),
            Usage.Option(name: "--films", value: "diverse|commercial", meaning: "the charts of films of this kind"),
            Usage.Option(name: "--area", value: "CODE", meaning: "the charts of cinemas in this area"),
        ])

    private let isTable: Bool
    private let first: KoreanDate
    private let last: KoreanDate
    private let market: Market

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.refusePositional()
        isTable = arguments.has("--csv")
        guard isTable != arguments.has("--json") else { throw UsageError("export needs one of --csv and --json") }
        first = try arguments.value("--from").map { text throws(UsageError) in try arguments.date(text) } ?? .firstChart
        last = try arguments.date(arguments.value("--to") ?? "yesterday")
        guard first <= last else { throw UsageError("--from \(first) lies after --to \(last)") }
        market = try arguments.market()
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        try configuration.logFile(ofAlerts: false).history { history in
            if isTable { Console.print(ChartCSV.head) }
            try history.forEachDay(from: first, through: last, in: market) { event in
                guard isTable else { return Console.print(String(decoding: event.body, as: UTF8.self)) }
                let rows = ChartCSV.rows(of: try ChartRevision(event))
                if !rows.isEmpty { Console.print(rows.joined(separator: "\n")) }
            }
        }
        return .done
    }
}
