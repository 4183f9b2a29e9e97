import BoxOffice
import Contract
import EventStore
import Operations

/// `marquee history`
struct HistoryCommand: Subcommand {
    static let usage = Usage(
        name: "history", arguments: "movie CODE | day DATE | week DATE",
        summary: "Shows a movie's days in the charts, or the revisions of a chart.",
        details: "Reads the worker's log, also while the worker runs. Days that were never requested are not in it.",
        options: [
            Usage.Option(name: "--revisions", meaning: "day, week: the corrections, and when the worker fetched them"),
            Usage.Option(name: "--nation", value: "K|F", meaning: "the chart of only Korean or only foreign movies"),
            Usage.Option(name: "--films", value: "diverse|commercial", meaning: "the chart of movies of this kind"),
            Usage.Option(name: "--area", value: "CODE", meaning: "the chart of cinemas in this area"),
            .span,
            Usage.Option(name: "--json", meaning: "print the charts' events, one JSON object a line"),
        ])

    private enum Subject {
        case movie(MovieCode, Market)
        case chart(Topic)
    }

    private let subject: Subject
    private let showsRevisions: Bool
    private let printsJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        guard arguments.positional.count == 2 else {
            throw UsageError("history takes two arguments: movie CODE, day DATE or week DATE")
        }
        let (kind, name) = (arguments.positional[0], arguments.positional[1])
        switch kind {
        case "movie":
            try arguments.reject("--span", "--revisions", because: "is for a chart, not for a movie")
            subject = .movie(try arguments.movieCode(name), try arguments.market())
        case "day":
            try arguments.reject("--span", because: "is for a week, not for a day")
            subject = .chart(.ranking(day: try arguments.date(name), market: try arguments.market()))
        case "week":
            subject = .chart(.weekRanking(try arguments.week(of: name), market: try arguments.market()))
        default:
            throw UsageError("history takes movie, day or week, not \(kind.debugDescription)")
        }
        showsRevisions = arguments.has("--revisions")
        printsJSON = arguments.has("--json")
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        try configuration.existingLogDatabase(ofAlerts: false).history { history in
            switch subject {
            case .movie(let code, let market): try show(history.days(of: code, in: market), of: code)
            case .chart(let topic): try show(history.revisions(of: topic), of: topic)
            }
        }
    }

    private func show(_ days: [ChartAppearance], of code: MovieCode) -> ExitStatus {
        guard !days.isEmpty else {
            Console.printError("marquee: no chart in the log contains the movie \(code)")
            return .failed
        }
        if printsJSON {
            for day in days { Console.print(String(decoding: day.revision.event.body, as: UTF8.self)) }
        } else {
            MovieHistoryTable(days: days, hasPlot: Console.isTerminal).lines.forEach(Console.print)
        }
        return .done
    }

    private func show(_ revisions: [ChartRevision], of topic: Topic) throws -> ExitStatus {
        guard let newest = revisions.last else {
            Console.printError("marquee: the log has no \(topic); request it with `marquee request`")
            return .failed
        }
        let shown = showsRevisions ? revisions : [newest]
        if printsJSON {
            for revision in shown { Console.print(String(decoding: revision.event.body, as: UTF8.self)) }
            return .done
        }
        let table = try ChartTable(newest.event)
        table.lines().forEach(Console.print)
        if showsRevisions {
            Console.print("")
            RevisionTable(revisions: revisions).lines.forEach(Console.print)
        }
        return .done
    }
}
