import BoxOffice
import Contract
import EventStore
import JSONCoding
import Operations

/// `marquee log`
struct LogCommand: Subcommand {
    static let usage = Usage(
        name: "log", summary: "Summarizes and verifies the worker's log, also while the worker runs.",
        details: "Fails if an event does not match its checksum.",
        options: [.alerts, Usage.Option(name: "--json", meaning: "print one JSON object")])

    private let isOfAlerts: Bool
    private let printsJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.rejectPositional()
        isOfAlerts = arguments.has("--alerts")
        printsJSON = arguments.has("--json")
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let contents = try configuration.existingLogDatabase(ofAlerts: isOfAlerts).contents()
        if printsJSON {
            Console.print(String(decoding: try JSON.encode(contents), as: UTF8.self))
        } else {
            Console.print("\(contents.file), \(contents.bytes.grouped) bytes, epoch \(contents.epoch)")
            for line in table(of: contents.streams).lines { Console.print(line) }
        }
        return .done
    }

    private func table(of streams: [Stream: EventLog.Summary]) -> TextTable {
        var table = TextTable([.left, .right, .right, .right, .left, .right, .left])
        table.add(["stream", "events", "topics", "oldest", "", "newest", ""])
        for (stream, summary) in streams.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            table.add([
                stream.rawValue, summary.events.grouped, summary.topics.grouped,
                summary.oldest.sequence.value.grouped, summary.oldest.time,
                summary.newest.sequence.value.grouped, summary.newest.time,
            ])
        }
        return table
    }
}
