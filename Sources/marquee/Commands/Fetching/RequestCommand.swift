import BoxOffice
import Contract
import ServiceRuntime
import Text

struct RequestCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "request", arguments: "day DATE | week DATE | movie CODE",
            summary: localized(
                "일별·주간 박스오피스나 영화 정보를 요청하고 결과를 출력합니다.",
                "Requests a day's or a week's chart or a movie from the worker, and prints the outcome."),
            details: RequestRunner.statuses,
            options: [
                Usage.Option(
                    "--refresh", "이미 수집된 데이터도 영화진흥위원회에서 다시 조회", "ask the upstream even if the log has the data")
            ] + Usage.Option.market + [
                .span,
                Usage.Option("--no-poster", "movie: 포스터 없이", "movie: without its poster"),
            ] + RequestRunner.options)
    }

    private let request: Request
    private let runner: RequestRunner

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.positional.count == 2 else {
            throw UsageError(
                "day DATE, week DATE, movie CODE 중 하나를 지정하세요",
                "request takes two arguments: day DATE, week DATE or movie CODE")
        }
        let (kind, subject) = (arguments.positional[0], arguments.positional[1])
        let target: Request.Target
        switch kind {
        case "day":
            try arguments.reject("--no-poster", because: "옵션은 영화에만 쓸 수 있습니다", "is for a movie, not for a day")
            try arguments.reject("--span", because: "옵션은 주간 박스오피스에만 쓸 수 있습니다", "is for a week, not for a day")
            target = .day(try arguments.date(subject), try arguments.market())
        case "week":
            try arguments.reject("--no-poster", because: "옵션은 영화에만 쓸 수 있습니다", "is for a movie, not for a week")
            target = .week(try arguments.week(of: subject), try arguments.market())
        case "movie":
            try arguments.reject(
                "--nation", "--films", "--area", "--span", because: "옵션은 박스오피스에만 쓸 수 있습니다",
                "is for a chart, not for a movie")
            target = .movie(try arguments.movieCode(subject), poster: !arguments.has("--no-poster"))
        default:
            throw UsageError(
                "request에는 day, week, movie 중 하나를 지정하세요: \(kind.visiblyQuoted)",
                "request takes day, week or movie, not \(kind.visiblyQuoted)")
        }
        request = Request(target, refresh: arguments.has("--refresh"))
        runner = try RequestRunner(arguments)
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        try await runner.run(request, configuration)
    }
}
