import BoxOffice
import Contract
import FoundationEssentials
import JSONCoding
import Messaging
import ServiceRuntime
import Text
import ZeroMQ

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

/// Sends one request to the worker and prints the outcome, for `request`, `product` and `poster`.
struct RequestRunner {
    static var options: [Usage.Option] {
        [
            .json,
            Usage.Option(
                "--timeout", value: "SECONDS", "응답을 기다리는 시간(초, 기본값 60)", "how many seconds to wait (default 60)"),
        ]
    }
    /// The description of the exit status in their help texts.
    static var statuses: String {
        localized(
            "종료 코드: 0 완료, 1 실패, 2 인수 오류, 3 실패(나중에 재시도 가능), 4 시간 내 응답 없음",
            "Exit status: 0 done, 1 failed, 2 wrong arguments, 3 failed but may succeed later, 4 no answer in time.")
    }

    let printsJSON: Bool
    let timeout: Duration

    init(_ arguments: Arguments) throws(UsageError) {
        printsJSON = arguments.has("--json")
        timeout = .seconds(try arguments.number("--timeout", in: 1...3600) ?? 60)
    }

    /// Sends the request and prints its outcome.
    func run(
        _ request: Request, attaching attachments: Attachments = .none, _ configuration: Configuration
    ) async throws -> ExitStatus {
        try await run(configuration, for: request.topic) { client in
            try await client.perform(request, attaching: attachments, within: timeout)
        }
    }

    /// Prints the outcome of what `perform` sends; if it `isWhole`, one with problems counts as a failure.
    func run(
        _ configuration: Configuration, for topic: RequestTopic? = nil, isWhole: Bool = false,
        _ perform: (RequestClient) async throws -> RequestClient.Outcome
    ) async throws -> ExitStatus {
        let io = try configuration.makeClientThread()
        let client = RequestClient(
            io, commands: configuration.reachableCommands, events: configuration.reachableEvents)
        let outcome = try await perform(client)
        await io.shutdown()
        switch outcome {
        case .done(let done, let events):
            for event in events { try show(event) }
            for problem in done.problems { problem.text().forEach(Console.printError) }
            return isWhole && !done.problems.isEmpty ? .failed : .done
        case .failed(let failure):
            if printsJSON { Console.print(try JSON.text(failure)) }
            return failure.report(of: topic)
        }
    }

    private func show(_ event: Event) throws {
        guard !printsJSON else { return Console.print(String(decoding: event.body, as: UTF8.self)) }
        try Self.lines(of: event).forEach(Console.print)
    }

    /// Returns the text of an event that answers a request; none of another event.
    static func lines(of event: Event) throws -> [String] {
        switch event.topic {
        case .ranking, .weekRanking: try ChartText(event).lines()
        case .movie: MovieText(movie: try event.data()).lines
        case .poster: PosterText(poster: try event.data()).lines
        case .products: ProductTable(page: try event.data()).lines
        case .product: ProductText(product: try event.data()).lines
        case .productRemoved: ProductText.lines(removed: try event.data())
        case .request, .anomaly, .alert: []
        }
    }
}
