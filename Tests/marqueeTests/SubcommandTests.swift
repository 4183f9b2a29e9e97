import Testing

@testable import marquee

/// Arguments that no command takes, refused before anything is opened.
@Suite struct SubcommandTests {
    private func refusal(_ command: any Subcommand.Type, _ words: [String]) -> String? {
        do throws(UsageError) {
            _ = try command.init(Arguments(words, usage: command.usage))
            return nil
        } catch {
            return error.message
        }
    }

    @Test(
        "a request is for a day, a week or a movie, with the options that are its own",
        arguments: [
            (["day", "2024-06-04", "--nation", "K", "--films=diverse", "--area", "0105001"], nil),
            (["day", "yesterday", "--refresh", "--json", "--timeout", "3600"], nil),
            (["movie", "2022B512", "--no-poster"], nil),
            (["day"], "request takes two arguments: day DATE, week DATE or movie CODE"),
            (["week", "2024-06-04", "--span", "weekdays", "--nation", "F"], nil),
            (["month", "2024-06-04"], #"request asks for a day, a week or a movie, not for "month""#),
            (["week", "2024-06-04", "--span=month"], #"--span is week, weekend or weekdays, not "month""#),
            (["day", "2024-06-04", "--span=week"], "--span is for a week, not for a day"),
            (["day", "today"], #"DATE is YYYY-MM-DD, YYYYMMDD or yesterday, not "today""#),
            (["movie", "파묘"], #"CODE has eight characters of 0-9 and A-Z, not "파묘""#),
            (["day", "2024-06-04", "--nation", "k"], #"--nation is K or F, not "k""#),
            (["day", "2024-06-04", "--no-poster"], "--no-poster is for a movie, not for a day"),
            (["movie", "2022B512", "--area", "0105001"], "--area is for a chart, not for a movie"),
            (["movie", "2022B512", "--timeout=0"], #"--timeout is a number of seconds from 1 to 3600, not "0""#),
        ])
    func request(_ words: [String], _ message: String?) {
        #expect(refusal(RequestCommand.self, words) == message)
    }

    @Test(
        "history and export say what they need",
        arguments: [
            (HistoryCommand.self, ["movie", "2022B512", "--films=diverse"], nil),
            (HistoryCommand.self, ["week", "20240604", "--span", "week", "--revisions"], nil),
            (HistoryCommand.self, ["day"], "history takes two arguments: movie CODE, day DATE or week DATE"),
            (HistoryCommand.self, ["month", "2024-06"], #"history is of a movie, a day or a week, not of "month""#),
            (HistoryCommand.self, ["movie", "2022B512", "--revisions"], "--revisions is for a chart, not for a movie"),
            (ExportCommand.self, ["--csv", "--from", "2024-06-04", "--to=2024-06-04"], nil),
            (ExportCommand.self, [], "export needs one of --csv and --json"),
            (ExportCommand.self, ["--csv", "--json"], "export needs one of --csv and --json"),
            (
                ExportCommand.self, ["--csv", "--from", "2024-06-05", "--to", "2024-06-04"],
                "--from 2024-06-05 lies after --to 2024-06-04"
            ),
            (
                ExportCommand.self, ["--json", "--to", "soon"],
                #"DATE is YYYY-MM-DD, YYYYMMDD or yesterday, not "soon""#
            ),
        ] as [(any Subcommand.Type, [String], String?)])
    func history(_ command: any Subcommand.Type, _ words: [String], _ message: String?) {
        #expect(refusal(command, words) == message)
    }

    @Test(
        "the other commands refuse what they do not take",
        arguments: [
            (UpCommand.self, ["--days", "101"], #"--days is a number from 1 to 100, not "101""#),
            (NotifierCommand.self, ["--since", "soon"], #"--since is a date such as 2024-06-04, not "soon""#),
            (NotifierCommand.self, ["--ranks", "0"], #"--ranks is a number from 1 on, not "0""#),
            (StatusCommand.self, ["--alerts", "--sandbox"], "--alerts, --board and --sandbox exclude each other"),
            (WorkerCommand.self, ["now"], #""now" is one argument too many"#),
            (SandboxCommand.self, ["--seed", "x"], #"--seed is a whole number, not "x""#),
        ] as [(any Subcommand.Type, [String], String)])
    func others(_ command: any Subcommand.Type, _ words: [String], _ message: String) {
        #expect(refusal(command, words) == message)
    }
}
