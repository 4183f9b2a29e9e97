import BoxOffice
import Foundation
import TestSupport
import Testing

extension Terminal {
    /// The subcommands that ask and listen, as a person or a script uses them.
    struct CommandLineTests {
        @Test("`watch` ends when its reader closes the pipe")
        func head() async throws {
            try await ProcessHarness.run { harness, client in
                let program = try Program(
                    "/bin/sh", ["-c", "'\(ProcessHarness.marquee)' watch --json | head -n 1; echo over"],
                    environment: harness.environment)
                try await waitUntil("the watcher has lost its reader") {
                    _ = try await client.day("2024-06-04")
                    return program.written.output.contains("over")
                }
                #expect(await program.ended().output.count == 2)
            }
        }

        @Test("`request` prints a table or JSON events, and its exit status tells the outcome")
        func request() async throws {
            try await ProcessHarness.run { harness, client in
                let table = try await harness.marquee("request", "day", "2024-06-04")
                #expect(table.status == 0 && table.errors == [])
                #expect(table.output.count == 12 && table.output[0] == "Daily box office of 2024-06-04 · final")
                #expect(
                    table.output[1].split(separator: " ") == [
                        "Rank", "Move", "Title", "Admissions", "Change", "Total", "Gross", "Share", "Screens",
                    ])

                let lines = try await harness.marquee("request", "day", "20240604", "--json")
                #expect(lines.status == 0 && lines.output.count == 1)
                let chart = try JSON(lines.output[0])
                #expect(chart["type"] == "marquee.ranking.day.v1" && chart["data"]["date"] == "2024-06-04")
                for (entry, line) in zip(chart["data"]["entries"].list, table.output.dropFirst(2)) {
                    #expect(line.contains(try #require(entry["title"].text)), "\(line)")
                }
                let filtered = try await harness.marquee(
                    "request", "day", "2024-06-04", "--nation=k", "--films", "diverse")
                #expect(
                    filtered.output.first == "Daily box office of 2024-06-04 · Korean movies · art-house movies · final"
                )

                let code = try #require(chart["data"]["entries"][0]["movieCode"].text)
                let movie = try await harness.marquee("request", "movie", code)
                #expect(
                    movie.output[0].hasSuffix("(\(code))") && movie.output.contains { $0.hasPrefix("Poster  http") })
                let facts = try await harness.marquee("request", "movie", code, "--json", "--no-poster")
                #expect(try facts.output.map { try JSON($0)["type"] } == ["marquee.movie.v1"])

                let unknown = try await harness.marquee("request", "movie", "00000000", "--json")
                #expect(unknown.status == 1 && unknown.errors.count == 1)
                // The sentence leads, and the address follows, without the key.
                let error = try #require(unknown.errors.first)
                #expect(error.hasPrefix("marquee: notFound: there is no movie with the code 00000000 (GET http://"))
                #expect(error.hasSuffix("?key=***&movieCd=00000000)"))
                let korean = try await harness.marquee("request", "movie", "00000000", "--language=ko")
                #expect(korean.errors == ["marquee: 영화진흥위원회에 등록되지 않은 영화 코드입니다 (notFound)"])
                #expect(try unknown.output.map { try JSON($0)["code"] } == ["notFound"])

                try await harness.setFaults(["kakao": ["faults": ["-401": 1]]])
                let halved = try await harness.marquee(
                    "request", "movie", try #require(chart["data"]["entries"][1]["movieCode"].text))
                #expect(halved.status == 0 && halved.errors.count == 1 && !halved.output.isEmpty)
                try await harness.setFaults(["kobis": ["faults": ["320011": 1]]])
                let later = try await harness.marquee("request", "day", "2024-06-05")
                #expect(later.status == 3 && later.output == [])
                #expect(later.errors.count == 1 && later.errors[0].hasPrefix("marquee: quotaExhausted: "))

                let nobody = ["MARQUEE_COMMANDS": "ipc://\(harness.folder.file("nobody"))"]
                for command in [["request", "day", "2024-06-04", "--timeout", "1"], ["status"]] {
                    let alone = try await harness.start(command, changes: nobody).ended()
                    #expect(alone.status == 4 && alone.output == [] && alone.errors.count == 1)
                    #expect(alone.errors.first?.contains("no reply from ipc://") == true, "\(alone.errors)")
                }
            }
        }

        @Test("commands go on at the next host of a list, and name all of them when none answers")
        func hosts() async throws {
            try await ProcessHarness.run(settings: ProcessHarness.tcp) { harness, _ in
                let hosts = ["MARQUEE_WORKERS": "127.0.0.2,127.0.0.1"]
                let request = try await harness.marquee("request", "day", "2024-06-04", changes: hosts)
                #expect(request.status == 0 && request.output.count == 12, "\(request)")
                let status = try await harness.marquee("status", changes: hosts)
                #expect(status.status == 0 && status.output.joined().contains("tcp://127.0.0.1:"), "\(status)")

                let dead = ["MARQUEE_WORKERS": "127.0.0.2,127.0.0.3"]
                let nobody = try await harness.marquee("request", "day", "2024-06-04", "--timeout", "1", changes: dead)
                #expect(nobody.status == 4 && nobody.errors.count == 1, "\(nobody)")
                for host in ["127.0.0.2", "127.0.0.3"] { #expect(nobody.errors.joined().contains("tcp://\(host):")) }
            }
        }

        @Test("only a terminal that has colours gets them, and NO_COLOR turns them off")
        func colors() async throws {
            try await ProcessHarness.run { harness, _ in
                for (variables, isColored) in [
                    (["TERM": "xterm"], true), (["TERM": "dumb"], false), (["TERM": "xterm", "NO_COLOR": "1"], false),
                ] {
                    let shown = try await harness.onTerminal(
                        ["request", "day", "2024-06-04"], typing: "", changes: variables)
                    #expect(shown.status == 0 && shown.output.count == 12, "\(shown)")
                    #expect(shown.output.contains { $0.contains("\u{1B}") } == isColored, "\(variables)")
                }
            }
        }

        @Test("`watch` prints the events and alerts of the given topics")
        func watch() async throws {
            try await ProcessHarness.run { harness, client in
                let json = try harness.start(["watch", "--json"])
                let text = try harness.start(["watch", "ranking.", "alert."])
                // A watcher does not say when it has begun to hear, so day after day is asked for until both have, on
                // both their connections, and then until a day has an alert.
                var day = try #require(KoreanDate("2024-06-04"))
                var outcome = try await client.day("\(day)")
                var alerts: [String] = []
                // Each turn waits for a chart.
                while alerts.isEmpty || !hearsBoth(json) || !hearsBoth(text) {
                    try Task.checkCancellation()
                    day = day + 1
                    outcome = try await client.day("\(day)")
                    alerts = ExpectedAlerts.topics(of: outcome.events[0].data, before: nil)
                }
                let end = outcome.end.text
                #expect(await json.output { $0 == end ? $0 : nil } != nil)
                let alert = try await client.event(try #require(alerts.last))
                #expect(await json.output { $0 == alert.text ? $0 : nil } != nil)
                let line = await text.output { $0.contains(alert.topic) ? $0 : nil }
                #expect(line?.contains(try #require(alert.data["text"]["en"].text)) == true)
                for program in [json, text] {
                    program.signal(SIGINT)
                    #expect(await program.ended().status == 0)
                }
                #expect(text.written.output.allSatisfy { $0.contains("  ranking.") || $0.contains("  alert.") })
            }
        }

        /// Whether a watcher has shown something of the worker's and something of the notifier's.
        private func hearsBoth(_ watcher: Program) -> Bool {
            let lines = watcher.written.output
            return lines.contains { $0.contains("ranking.") } && lines.contains { $0.contains("alert.") }
        }

        @Test("`status` and `check` report the state of the processes")
        func status() async throws {
            try await ProcessHarness.run { harness, _ in
                let worker = try JSON(try await harness.marquee("status", "--json").output.joined())
                #expect(worker["queue"] == ["live": 0, "backfill": 0] && worker["positions"] != nil)
                #expect(
                    worker["version"].text.map { "marquee \($0)" }
                        == (try await harness.marquee("version").output.first))
                #expect(
                    try JSON(try await harness.marquee("status", "--alerts", "--json").output.joined())["epoch"]
                        != worker["epoch"])
                #expect(try await harness.marquee("status", "--sandbox", "--json").output == ["ok"])
                let sandbox = try await harness.marquee("status", "--sandbox")
                #expect(sandbox.output == ["Sandbox  http://\(harness.sandboxAddress)  running"])
                let table = try await harness.marquee("status").output
                #expect(table.first?.hasPrefix("Worker · ") == true)
                #expect(table.contains("Queue            0 live · 0 backfill"), "\(table)")
                #expect(table.contains { $0.hasPrefix("API calls today  KOBIS") && $0.contains(" left (") }, "\(table)")
                let korean = try await harness.marquee("status", "--alerts", "--language", "ko").output
                #expect(korean.first?.hasPrefix("알림 서버 · ") == true)
                #expect(korean.contains("알림 발송    알림 채널 없음"), "\(korean)")

                // It waits five seconds for an answer, and a busy machine takes longer.
                let good = try await waitUntil("all but the board answer `check`") {
                    try await harness.marquee("check", changes: ProcessHarness.machineClock)
                } is: { ending in
                    // The board does not run here, and is optional; the tests' server has no standby.
                    let missing = ending.output.filter { !$0.hasPrefix("ok ") && !$0.contains("standby") }
                    return missing.map { $0.split(separator: " ")[1] } == ["board"]
                }
                #expect(good.status == 0 && good.errors == [])
                let names = good.output.map { $0.split(separator: " ")[1] }
                #expect(names.contains("disk") && names.contains("clock") && names.contains("KOBIS"))
                let keyless = try await waitUntil("all answer `check` without a key") {
                    try await harness.marquee(
                        "check",
                        changes: ProcessHarness.machineClock.merging(["MARQUEE_KOBIS_KEY": ""]) { $1 })
                } is: {
                    $0.status == 0
                }
                #expect(keyless.status == 0 && keyless.output.contains { $0.hasPrefix("ok  sandbox ") }, "\(keyless)")
                await harness.end(.notifier)
                await harness.end(.sandbox)
                let alone = try await waitUntil("the worker alone answers `check`") {
                    try await harness.marquee("check")
                } is: { ending in
                    ending.output.count { $0.hasPrefix("FAILED") } == 2
                }
                #expect(alone.status == 1)
                #expect(
                    alone.output.contains { $0.hasPrefix("-       notifier") && $0.contains("no reply") }, "\(alone)")
                let neither = try await harness.marquee("check", changes: ["MARQUEE_KOBIS_KEY": ""])
                #expect(
                    neither.status == 1 && neither.output.contains { $0.hasPrefix("FAILED  KOBIS key") }, "\(neither)")
                #expect(try await harness.marquee("status", "--sandbox").status == 4)

                // The first call of a worker would meet this, with the key, and it counts.
                let moved = try ScriptedServer { exchange in
                    exchange.answer(status: 301, headers: ["Location: https://new.example/rest/list.json"])
                }
                let elsewhere = try await harness.marquee("check", changes: ["MARQUEE_KOBIS_URL": moved.url])
                let line = try #require(
                    elsewhere.output.first { $0.hasPrefix("FAILED  KOBIS service") }, "\(elsewhere)")
                #expect(line.contains("redirects to https://new.example/rest/list.json"), "\(line)")
                #expect(line.hasSuffix("check MARQUEE_KOBIS_URL"), "\(line)")
                #expect(moved.requests.map { $0.target.contains("key=") } == [true])
                let refusing = "http://127.0.0.1:\(try reservePort())"
                let refused = try await harness.marquee("check", changes: ["MARQUEE_KOBIS_URL": refusing])
                #expect(refused.output.contains { $0.hasSuffix("check MARQUEE_KOBIS_URL") }, "\(refused)")
            }
        }

        @Test("every command has a help text, in Korean and in English", arguments: ["en", "ko"])
        func help(language: String) async throws {
            let locale = ["LC_ALL": "\(language).UTF-8"]
            let list = try await Program.run(ProcessHarness.marquee, ["help"], environment: locale)
            #expect(try await Program.run(ProcessHarness.marquee, environment: locale).output == list.output)
            let commands = list.output.compactMap { line in
                line.hasPrefix("  marquee ") ? line.split(separator: " ").dropFirst().first.map(String.init) : nil
            }
            #expect(
                Set(commands).isSuperset(of: [
                    "up", "worker", "notifier", "sandbox", "request", "watch", "status", "check",
                ])
            )
            for command in commands {
                let help = try await Program.run(ProcessHarness.marquee, ["help", command], environment: locale)
                let head = language == "ko" ? "사용법" : "usage"
                #expect(help.status == 0 && help.output.first?.hasPrefix("\(head): marquee \(command)") == true)
                let same = try await Program.run(ProcessHarness.marquee, [command, "--help", "--language", language])
                #expect(same.output == help.output)
            }
        }

        @Test(
            "invalid arguments are one line on standard error, with status 2",
            arguments: [
                "up 3", "up --days 0", "--language fr help", "request day 2024-06-04 --jsn", "wroker", "help wroker",
                "request", "request day", "request day 2024-13-01",
                "request movie 123", "request poster 20240001", "request day 2024-06-04 --nation X",
                "request day 2024-06-04 --timeout soon", "request day 2024-06-04 --json --json",
                "request day 2024-06-04 -x",
                "watch --xml", "status --alerts --sandbox", "check all", "version 2", "worker now",
                "notifier --since never", "sandbox --seed x", "sandbox --fault kobis",
                "sandbox --fault kobis.nothing=1",
            ])
        func mistakes(words: String) async throws {
            let ending = try await Program.run(ProcessHarness.marquee, words.split(separator: " ").map(String.init))
            #expect(ending.status == 2 && ending.output == [] && ending.errors.count == 1, "\(ending)")
            #expect(ending.errors.first?.hasPrefix("marquee: ") == true)
        }
    }
}
