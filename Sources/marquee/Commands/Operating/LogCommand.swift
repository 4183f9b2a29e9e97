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
            contents.streams.sorted { $0.key.rawValue < $1.key.rawValue }.table([
                .left(localized("스트림", "stream")) { $0.key.rawValue },
                .right(localized("이벤트", "events")) { $0.value.events.grouped },
                .right(localized("토픽", "topics")) { $0.value.topics.grouped },
                .right(localized("처음", "oldest")) { $0.value.oldest.sequence.value.grouped },
                .left { Date.koreanText(of: $0.value.oldest.time) },
                .right(localized("마지막", "newest")) { $0.value.newest.sequence.value.grouped },
                .left { Date.koreanText(of: $0.value.newest.time) },
            ]).forEach(Console.print)
        }
        return .done
    }
}
