import Testing

@testable import marquee

/// Invalid arguments, which commands reject before they open anything.
@Suite struct SubcommandTests {
    private func usageError(_ command: any Subcommand.Type, _ words: [String]) -> String? {
        do throws(UsageError) {
            _ = try command.init(Arguments(words, usage: command.usage))
            return nil
        } catch {
            return error.message
        }
    }

    @Test(
        "request takes a day, a week or a movie, each with its own options",
        arguments: [
            (["day", "2024-06-04", "--nation", "K", "--films=diverse", "--area", "0105001"], nil),
            (["day", "yesterday", "--refresh", "--json", "--timeout", "3600"], nil),
            (["movie", "2022B512", "--no-poster"], nil),
            (["day"], "request takes two arguments: day DATE, week DATE or movie CODE"),
            (["week", "2024-06-04", "--span", "weekdays", "--nation", "F"], nil),
            (["month", "2024-06-04"], #"request takes day, week or movie, not "month""#),
            (["week", "2024-06-04", "--span=month"], #"--span must be week, weekend or weekdays, not "month""#),
            (["day", "2024-06-04", "--span=week"], "--span is for a week, not for a day"),
            (["day", "today"], #"DATE must be YYYY-MM-DD, YYYYMMDD or yesterday, not "today""#),
            (["movie", "파묘"], #"CODE must be eight characters of 0-9 and A-Z, not "파묘""#),
            (["day", "2024-06-04", "--nation", "k", "--films", "Diverse"], nil),
            (["day", "2024-06-04", "--nation", "x"], #"--nation must be K or F, not "x""#),
            (["day", "2024-06-04", "--no-poster"], "--no-poster is for a movie, not for a day"),
            (["movie", "2022B512", "--area", "0105001"], "--area is for a chart, not for a movie"),
            (["movie", "2022B512", "--timeout=0"], #"--timeout must be a whole number from 1 to 3600, not "0""#),
        ])
    func request(_ words: [String], _ message: String?) {
        #expect(usageError(RequestCommand.self, words) == message)
    }

    @Test(
        "history and export name the missing or invalid argument",
        arguments: [
            (HistoryCommand.self, ["movie", "2022B512", "--films=diverse"], nil),
            (HistoryCommand.self, ["week", "20240604", "--span", "week", "--revisions"], nil),
            (HistoryCommand.self, ["day"], "history takes two arguments: movie CODE, day DATE or week DATE"),
            (HistoryCommand.self, ["month", "2024-06"], #"history takes movie, day or week, not "month""#),
            (HistoryCommand.self, ["movie", "2022B512", "--revisions"], "--revisions is for a chart, not for a movie"),
            (ExportCommand.self, ["--csv", "--from", "2024-06-04", "--to=2024-06-04"], nil),
            (ExportCommand.self, [], "export needs one of --csv and --json"),
            (ExportCommand.self, ["--csv", "--json"], "export needs one of --csv and --json"),
            (
                ExportCommand.self, ["--csv", "--from", "2024-06-05", "--to", "2024-06-04"],
                "--from 2024-06-05 is after --to 2024-06-04"
            ),
            (
                ExportCommand.self, ["--json", "--to", "soon"],
                #"DATE must be YYYY-MM-DD, YYYYMMDD or yesterday, not "soon""#
            ),
        ] as [(any Subcommand.Type, [String], String?)])
    func history(_ command: any Subcommand.Type, _ words: [String], _ message: String?) {
        #expect(usageError(command, words) == message)
    }

    @Test(
        "the other commands reject invalid arguments",
        arguments: [
            (UpCommand.self, ["--days", "101"], #"--days must be a whole number from 1 to 100, not "101""#),
            (NotifierCommand.self, ["--since", "soon"], #"--since must be a date such as 2024-06-04, not "soon""#),
            (StatusCommand.self, ["--alerts", "--sandbox"], "--alerts, --board and --sandbox exclude each other"),
            (WorkerCommand.self, ["now"], #"unexpected argument "now""#),
            (PosterCommand.self, [], "poster takes CODE [--reject | URL]"),
            (PosterCommand.self, ["2022B512", "https://a.kr/1", "--reject"], "poster takes CODE [--reject | URL]"),
            (PosterCommand.self, ["파묘"], #"CODE must be eight characters of 0-9 and A-Z, not "파묘""#),
            (SandboxCommand.self, ["--seed", "x"], #"--seed must be a whole number, not "x""#),
        ] as [(any Subcommand.Type, [String], String)])
    func others(_ command: any Subcommand.Type, _ words: [String], _ message: String) {
        #expect(usageError(command, words) == message)
    }
}
