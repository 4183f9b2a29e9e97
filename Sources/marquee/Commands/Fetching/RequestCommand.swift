import BoxOffice
import Contract
import Operations

/// `marquee request`
struct RequestCommand: Subcommand {
    static let usage = Usage(
        name: "request", arguments: "day DATE | week DATE | movie CODE",
        summary: "Requests a day's or a week's chart or a movie from the worker, and prints the outcome.",
        details: RequestRunner.statuses,
        options: [
            Usage.Option(name: "--refresh", meaning: "ask the upstream even if the log has the data"),
            Usage.Option(name: "--nation", value: "K|F", meaning: "day, week: only Korean or only foreign movies"),
            Usage.Option(name: "--films", value: "diverse|commercial", meaning: "day, week: only movies of this kind"),
            Usage.Option(name: "--area", value: "CODE", meaning: "day, week: only cinemas in this area"),
            .span,
            Usage.Option(name: "--no-poster", meaning: "movie: without its poster"),
        ] + RequestRunner.options)

    private let request: Request
    private let runner: RequestRunner

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.positional.count == 2 else {
            throw UsageError("request takes two arguments: day DATE, week DATE or movie CODE")
        }
        let (kind, subject) = (arguments.positional[0], arguments.positional[1])
        let target: Request.Target
        switch kind {
        case "day":
            try arguments.reject("--no-poster", because: "is for a movie, not for a day")
            try arguments.reject("--span", because: "is for a week, not for a day")
            target = .day(try arguments.date(subject), try arguments.market())
        case "week":
            try arguments.reject("--no-poster", because: "is for a movie, not for a week")
            target = .week(try arguments.week(of: subject), try arguments.market())
        case "movie":
            try arguments.reject("--nation", "--films", "--area", "--span", because: "is for a chart, not for a movie")
            target = .movie(try arguments.movieCode(subject), poster: !arguments.has("--no-poster"))
        default:
            throw UsageError("request takes day, week or movie, not \(kind.debugDescription)")
        }
        request = Request(target, refresh: arguments.has("--refresh"))
        runner = try RequestRunner(arguments)
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        try await runner.run(request, configuration)
    }
}
