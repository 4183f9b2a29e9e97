import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import JSONCoding
import ServiceRuntime
import Text

struct LogCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "log",
            summary: localized(
                "수집 서버의 이벤트 로그를 요약하고 검증합니다. 서버가 실행 중이어도 됩니다.",
                "Summarizes and verifies the worker's log, also while the worker runs."),
            details: localized("체크섬이 맞지 않는 이벤트가 있으면 실패합니다.", "Fails if an event does not match its checksum."),
            options: [
                .alerts,
                Usage.Option("--json", "JSON 객체 하나로 출력", "print one JSON object"),
            ])
    }

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
            Console.print(try JSON.text(contents))
        } else {
            Console.print(
                "\(contents.file), \(contents.bytes.grouped)바이트, 에포크 \(contents.epoch)",
                "\(contents.file), \(contents.bytes.grouped) bytes, epoch \(contents.epoch)")
            for line in table(of: contents.streams).lines { Console.print(line) }
        }
        return .done
    }

    private func table(of streams: [Stream: EventLog.Summary]) -> TextTable {
        var table = TextTable([.left, .right, .right, .right, .left, .right, .left])
        table.add([
            localized("스트림", "stream"), localized("이벤트", "events"), localized("토픽", "topics"),
            localized("처음", "oldest"), "", localized("마지막", "newest"), "",
        ])
        for (stream, summary) in streams.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            table.add([
                stream.rawValue, summary.events.grouped, summary.topics.grouped,
                summary.oldest.sequence.value.grouped, Date.koreanText(of: summary.oldest.time),
                summary.newest.sequence.value.grouped, Date.koreanText(of: summary.newest.time),
            ])
        }
        return table
    }
}
