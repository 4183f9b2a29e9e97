import Notifier
import Testing
import Text

@testable import marquee

/// Parsing of a command's arguments.
@Suite struct ArgumentsTests {
    private let usage = Usage(
        name: "play", summary: "Plays.",
        options: [
            Usage.Option("--loud", "크게", "louder"), Usage.Option("--times", value: "N", "횟수", "how often"),
            Usage.Option("--tune", value: "NAME", "곡", "what", isRepeatable: true),
        ])

    private func arguments(_ words: String...) throws(UsageError) -> Arguments {
        var usage = usage
        usage.arguments = "SONG…"
        return try Arguments(words, usage: usage)
    }

    @Test("options and positional arguments can have any order")
    func order() throws {
        let arguments = try arguments("a", "--times", "3", "-", "--loud", "b")
        #expect(arguments.positional == ["a", "-", "b"])
        #expect(arguments.has("--loud"))
        #expect(arguments.value("--times") == "3")
        #expect(!arguments.has("--tune"))
    }

    @Test("a value follows the name or an equals sign, whatever it looks like")
    func values() throws {
        #expect(try arguments("--times=3").value("--times") == "3")
        #expect(try arguments("--times", "--loud").value("--times") == "--loud")
        #expect(try arguments("--times=").value("--times")?.isEmpty == true)
        #expect(try arguments("--tune=a=b", "--tune", "c").values("--tune") == ["a=b", "c"])
    }

    @Test("a command without arguments takes none")
    func surplus() {
        let usage = Usage(name: "stop", summary: "Stops.")
        let error = #expect(throws: UsageError.self) { try Arguments(["now"], usage: usage) }
        #expect(error?.message == #"unexpected argument "now""#)
    }

    @Test("two dashes end the options")
    func end() throws {
        let arguments = try arguments("--loud", "--", "--times", "--")
        #expect(arguments.positional == ["--times", "--"])
        #expect(!arguments.has("--times"))
    }

    @Test(
        "an error is described in one line",
        arguments: [
            (["--quiet"], "play has no option --quiet; see `marquee help play`"),
            (["--lout"], "play has no option --lout; did you mean --loud? see `marquee help play`"),
            (["--languge=ko"], "play has no option --languge; did you mean --language? see `marquee help play`"),
            (["-l"], "play has no option -l; see `marquee help play`"),
            (["--loud", "--loud"], "--loud is given twice"), (["--times=1", "--times", "2"], "--times is given twice"),
            (["--loud=yes"], "--loud takes no value"), (["--times"], "--times needs a value: --times N"),
        ])
    func errors(_ words: [String], _ message: String) throws {
        let error = try #require(throws: UsageError.self) { try Arguments(words, usage: usage) }
        #expect(error.message == message)
    }

    @Test("errors and help are in the language of the command")
    func korean() throws {
        Language.$current.withValue(.ko) {
            let unknown = #expect(throws: UsageError.self) { try arguments("--lout") }
            #expect(unknown?.message == "play 명령에 --lout 옵션이 없습니다. 비슷한 옵션: --loud. 도움말: marquee help play")
            let invalid = #expect(throws: UsageError.self) { try arguments("--times=x").date("x") }
            #expect(
                invalid?.message == #"DATE 값이 올바르지 않습니다("x"). 사용할 수 있는 값: YYYY-MM-DD, YYYYMMDD, yesterday"#)
            #expect(usage.help.hasPrefix("사용법: marquee play [옵션]\n"))
        }
    }

    @Test("the error of an invalid value names the expected one, and that of a surplus argument names it")
    func reading() throws {
        let read: (String) -> Int? = { Int($0) }
        #expect(try arguments("--times", "3").value("--times", expected: "a number", read: read) == 3)
        #expect(try arguments().value("--times", expected: "a number", read: read) == nil)
        let error = try #require(throws: UsageError.self) {
            try arguments("--times", "often").value("--times", expected: "a number", read: read)
        }
        #expect(error.message == #"--times must be a number, not "often""#)
        let tooMany = try #require(throws: UsageError.self) { try arguments("a").rejectPositional() }
        #expect(tooMany.message == #"unexpected argument "a""#)
    }

    @Test("the help text has the arguments and aligned options")
    func help() {
        #expect(
            usage.help == """
                usage: marquee play [options]

                Plays.

                  --loud       louder
                  --times N    how often
                  --tune NAME  what
                """)
        let plain = Usage(name: "stop", arguments: "[now]", summary: "Stops.", details: "At once.")
        #expect(plain.help == "usage: marquee stop [now]\n\nStops.\n\nAt once.")
    }
}
