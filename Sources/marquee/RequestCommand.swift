import BoxOffice
import Events
import FoundationEssentials
import Operations
import ZeroMQ

/// `marquee request`
struct RequestCommand: Command {
    static let usage = Usage(
        name: "request", arguments: "day DATE | week DATE | movie CODE",
        summary: "Asks the worker for a day's or a week's chart or a movie, and prints the outcome.",
        details: """
            Exit status: 0 done, 1 failed, 2 wrong arguments, 3 failed but may succeed later, 4 no answer in time.
            """,
        options: [
            Usage.Option(name: "--json", meaning: "print the events, one JSON object a line"),
            Usage.Option(name: "--refresh", meaning: "ask the upstream even if the log has an answer"),
            Usage.Option(name: "--nation", value: "K|F", meaning: "day, week: only Korean or only foreign films"),
            Usage.Option(name: "--films", value: "diverse|commercial", meaning: "day, week: only films of this kind"),
            Usage.Option(name: "--area", value: "CODE", meaning: "day, week: only cinemas in this area"),
            .span,
            Usage.Option(name: "--no-poster", meaning: "movie: without its poster"),
            Usage.Option(name: "--timeout", value: "SECONDS", meaning: "how long to wait (default 60)"),
        ])

    private let request: Request
    private let printsJSON: Bool
    private let timeout: Duration

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.positional.count == 2 else {
            throw UsageError("request takes two arguments: day DATE, week DATE or movie CODE")
        }
        let (kind, subject) = (arguments.positional[0], arguments.positional[1])
        let target: Request.Target
        switch kind {
        case "day":
            try arguments.refuse("--no-poster", because: "is for a movie, not for a day")
            try arguments.refuse("--span", because: "is for a week, not for a day")
            target = .day(try arguments.date(subject), try arguments.market())
        case "week":
            try arguments.refuse("--no-poster", because: "is for a movie, not for a week")
            target = .week(try arguments.week(of: subject), try arguments.market())
        case "movie":
            try arguments.refuse("--nation", "--films", "--area", "--span", because: "is for a chart, not for a movie")
            target = .movie(try arguments.movieCode(subject), poster: !arguments.has("--no-poster"))
        default:
            throw UsageError("request asks for a day, a week or a movie, not for \(kind.debugDescription)")
        }
        request = Request(target, refresh: arguments.has("--refresh"))
        printsJSON = arguments.has("--json")
        timeout = .seconds(
            try arguments.value("--timeout", expected: "a number of seconds from 1 to 3600") { text in
                Int(text).flatMap { (1...3600).contains($0) ? $0 : nil }
            } ?? 60)
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let io = try configuration.makeClientThread()
        let client = RequestClient(
            io, commands: configuration.commands.reachable, events: configuration.events.reachable)
        let outcome: RequestClient.Outcome
        do {
            outcome = try await client.perform(request, within: timeout)
        } catch let error as Unanswered {
            Console.complain("marquee: \(error)")
            return .unanswered
        }
        await io.shutdown()
        switch outcome {
        case .done(let done, let events):
            for event in events { try show(event) }
            for problem in done.problems { Console.complain("marquee: \(problem.message)") }
            return .done
        case .failed(let failure):
            if printsJSON { Console.print(String(decoding: try JSON.encode(failure), as: UTF8.self)) }
            Console.complain("marquee: \(failure.code.rawValue): \(failure.message)")
            return failure.code.isRetryable ? .retryable : .failed
        }
    }

    private func show(_ event: Event) throws {
        guard !printsJSON else { return Console.print(String(decoding: event.body, as: UTF8.self)) }
        switch event.topic {
        case .ranking, .weekRanking: try ChartTable(event).lines.forEach(Console.print)
        case .movie: MovieSheet(movie: try event.data()).lines.forEach(Console.print)
        case .poster: PosterSheet(poster: try event.data()).lines.forEach(Console.print)
        case .request, .anomaly, .alert, .anomalyAlert: break
        }
    }
}
