import BoxOffice
import Contract
import EventStore
import ServiceRuntime
import Text

struct HistoryCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "history", arguments: "movie CODE | day DATE | week DATE",
            summary: localized(
                "영화의 일별 순위 추이나 박스오피스의 정정 이력을 보여 줍니다.",
                "Shows a movie's days in the charts, or the revisions of a chart."),
            details: localized(
                "수집 서버의 이벤트 로그를 읽으며, 서버가 실행 중일 때도 쓸 수 있습니다. 요청한 적이 없는 날짜는 나오지 않습니다.",
                "Reads the worker's log, also while the worker runs. Days that were never requested are not in it."),
            options: [
                Usage.Option(
                    "--revisions", "day, week: 차수별 정정 내역과 수집 시각",
                    "day, week: the corrections, and when the worker fetched them")
            ] + Usage.Option.market + [
                .span,
                Usage.Option(
                    "--json", "박스오피스 이벤트를 한 줄에 하나씩 JSON으로 출력", "print the charts' events, one JSON object a line"),
            ])
    }

    private enum Subject {
        case movie(MovieCode, Market)
        case chart(Topic)
    }

    private let subject: Subject
    private let showsRevisions: Bool
    private let printsJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.positional.count == 2 else {
            throw UsageError(
                "movie CODE, day DATE, week DATE 중 하나를 지정하세요",
                "history takes two arguments: movie CODE, day DATE or week DATE")
        }
        let (kind, name) = (arguments.positional[0], arguments.positional[1])
        switch kind {
        case "movie":
            try arguments.reject(
                "--span", "--revisions", because: "옵션은 박스오피스에만 쓸 수 있습니다", "is for a chart, not for a movie")
            subject = .movie(try arguments.movieCode(name), try arguments.market())
        case "day":
            try arguments.reject("--span", because: "옵션은 주간 박스오피스에만 쓸 수 있습니다", "is for a week, not for a day")
            subject = .chart(.ranking(day: try arguments.date(name), market: try arguments.market()))
        case "week":
            subject = .chart(.weekRanking(try arguments.week(of: name), market: try arguments.market()))
        default:
            throw UsageError(
                "history에는 movie, day, week 중 하나를 지정하세요: \(kind.visiblyQuoted)",
                "history takes movie, day or week, not \(kind.visiblyQuoted)")
        }
        showsRevisions = arguments.has("--revisions")
        printsJSON = arguments.has("--json")
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let log = try configuration.existingLogDatabase(ofAlerts: false)
        return try log.history(onUnreadable: Console.printUnreadable) { history in
            switch subject {
            case .movie(let code, let market): try show(history.days(of: code, in: market), of: code)
            case .chart(let topic): try show(history.revisions(of: topic), of: topic)
            }
        }
    }

    private func show(_ days: [ChartAppearance], of code: MovieCode) -> ExitStatus {
        guard !days.isEmpty else {
            Console.printError(
                "marquee: 수집된 박스오피스에 없는 영화입니다: \(code)", "marquee: no chart in the log contains the movie \(code)")
            return .failed
        }
        if printsJSON {
            for day in days { Console.print(String(decoding: day.revision.event.body, as: UTF8.self)) }
        } else {
            MovieHistoryTable(days: days).lines.forEach(Console.print)
        }
        return .done
    }

    private func show(_ revisions: [ChartRevision], of topic: Topic) throws -> ExitStatus {
        guard let newest = revisions.last else {
            Console.printError(
                "marquee: 아직 수집되지 않은 박스오피스입니다(\(topic)). `marquee request`로 요청하세요",
                "marquee: the log has no \(topic); request it with `marquee request`")
            return .failed
        }
        let shown = showsRevisions ? revisions : [newest]
        if printsJSON {
            for revision in shown { Console.print(String(decoding: revision.event.body, as: UTF8.self)) }
            return .done
        }
        try ChartText(newest.event).lines().forEach(Console.print)
        if showsRevisions {
            Console.print("")
            RevisionTable(revisions: revisions).lines.forEach(Console.print)
        }
        return .done
    }
}
