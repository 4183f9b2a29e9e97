import BoxOffice
import Foundation
import Networking
import TestSupport
import Testing

extension Terminal {
    /// `marquee up`: everything in one terminal.
    struct UpTests {
        @Test("the processes end cleanly when `up` is killed")
        func killed() async throws {
            let folder = try TemporaryFolder()
            let program = try Program(ProcessHarness.marquee, ["up"], environment: try await settings(folder))
            let isUp = await program.output { $0.contains("Daily box office") ? true : nil }
            try #require(isUp == true)
            program.signal(SIGKILL)
            _ = await program.ended()
            // They are nobody's children now, so that their logs are all that tells of their end.
            for role in ProcessHarness.Role.allCases {
                try await waitUntil("the \(role) has ended") {
                    try String(contentsOfFile: folder.file("data/sandbox/\(role).log"), encoding: .utf8).suffix(500)
                } is: {
                    $0.hasSuffix("\(role) stopped\n")
                }
            }
        }

        @Test("without keys `up` uses the sandbox, and SIGINT ends it")
        func sandbox() async throws {
            let folder = try TemporaryFolder()
            let board = "127.0.0.1:\(try reservePort())"
            let settings = try await settings(folder).merging(["MARQUEE_BOARD_HTTP": board]) { $1 }
            let program = try Program(ProcessHarness.marquee, ["up"], environment: settings)
            let yesterday = KoreanDate.yesterday(at: FixedClock.now)
            #expect(await program.output { $0.hasPrefix("board ") ? $0 : nil } == "board http://\(board)/")
            // The address is printed before the board listens.
            let client = HTTPClient(retry: .never)
            let page = APICall<String>(service: "board", request: HTTPRequest("http://\(board)/")) { response in
                String(decoding: response.body, as: UTF8.self)
            }
            let text = try await waitUntil("the board answers") {
                try? await client.send(page)
            } is: {
                $0 != nil
            }
            #expect(text?.contains("app.js") == true)
            await client.shutdown()
            let days = "\(yesterday - 40) to \(yesterday - 7)"
            let history = await program.output { $0.hasSuffix(days) ? $0 : nil }
            #expect(history == "fetching the past days that alerts count: \(days)")
            let head = await program.output { $0.hasPrefix("Daily box office of \(yesterday)") ? $0 : nil }
            #expect(head == "Daily box office of \(yesterday) · provisional")
            let line = await program.output { $0.contains("  alert.") ? $0 : nil }
            #expect(line?.contains("\u{1B}") == false)
            program.signal(SIGINT)
            let ending = await program.ended()
            #expect(ending.status == 0 && ending.errors == [])
            try expectCleanExit(of: ProcessHarness.Role.allCases, in: folder.file("data/sandbox"))
        }

        @Test("with a key `up` uses the real upstream, and Ctrl-C on a terminal ends it")
        func terminal() async throws {
            try await ProcessHarness.run { harness, _ in
                let folder = try TemporaryFolder()
                let keys = harness.environment.filter { $0.key.hasPrefix("MARQUEE_K") || $0.key.contains("IMAGES") }
                let program = try await Program.onTerminal(
                    [ProcessHarness.marquee, "up", "--days", "2"],
                    environment: try await settings(folder).merging(keys) { $1 })
                let chart = await program.output { $0.contains("Daily box office") ? $0 : nil }
                #expect(chart?.contains("\u{1B}[1m") == true)
                try program.type("\u{3}")
                let ending = try await program.finish()
                #expect(ending.status == 0, "\(ending)")
                #expect(ending.output.first?.contains("figures of http://\(harness.sandboxAddress)") == true)
                #expect(ending.output.allSatisfy { !$0.contains(ProcessHarness.kobisKey) })
                try expectCleanExit(of: [.worker, .notifier], in: folder.file("data"))
            }
        }

        @Test("a process that is killed starts again, and the cause is named")
        func restart() async throws {
            let folder = try TemporaryFolder()
            let program = try Program(ProcessHarness.marquee, ["up"], environment: try await settings(folder))
            _ = await program.output { $0.contains("Daily box office") ? $0 : nil }
            let worker = try #require(try program.child("worker"))
            kill(worker, SIGKILL)
            let line = await program.error(containing: "starts again")
            #expect(line?.hasPrefix("marquee: the worker starts again in 1 s: signal 9 (Killed) ended it (") == true)
            try await waitUntil("the worker is another process") {
                try program.child("worker")
            } is: {
                $0 != nil && $0 != worker
            }
            program.signal(SIGINT)
            #expect(await program.ended().status == 0)
        }

        @Test("a mistake in the rules is reported before anything starts")
        func rules() async throws {
            let folder = try TemporaryFolder()
            try Data("rules: {led: , mileston: }\n".utf8).write(to: URL(filePath: folder.file("rules.yml")))
            let settings = try await settings(folder).merging(["MARQUEE_RULES": folder.file("rules.yml")]) { $1 }
            let ending = try await Program.run(ProcessHarness.marquee, ["up"], environment: settings)
            #expect(ending.status == 2 && ending.errors.count == 2 && ending.output == [], "\(ending)")
            #expect(!FileManager.default.fileExists(atPath: folder.file("data")))
        }

        @Test("SIGHUP makes the notifier read the rules again; mistakes are printed")
        func reload() async throws {
            let folder = try TemporaryFolder()
            let rules = URL(filePath: folder.file("rules.yml"))
            try Data("rules: {lead: }\n".utf8).write(to: rules)
            let settings = try await settings(folder).merging(["MARQUEE_RULES": rules.path]) { $1 }
            let program = try Program(ProcessHarness.marquee, ["up", "--days", "1"], environment: settings)
            _ = await program.output { $0.contains("Daily box office") ? $0 : nil }
            try Data("rules: lead\n".utf8).write(to: rules)
            program.signal(SIGHUP)
            let mistake = await program.error(containing: "rules.yml:1:8: rules: ")
            #expect(mistake?.hasSuffix("a rule is written with a colon: 'lead:'") == true)
            try Data("rules: {left: }\n".utf8).write(to: rules)
            program.signal(SIGHUP)
            let log = folder.file("data/sandbox/notifier.log")
            try await waitUntil("the new rule is in force") {
                try String(contentsOfFile: log, encoding: .utf8).contains("in force rule=left")
            }
            program.signal(SIGINT)
            #expect(await program.ended().status == 0)
            try expectCleanExit(of: ProcessHarness.Role.allCases, in: folder.file("data/sandbox"))
        }

        @Test("a notifier whose terminal is closed ends")
        func closedTerminal() async throws {
            try await Program.requireTerminal()
            let folder = try TemporaryFolder()
            let run = """
                import os, pty, sys
                child, terminal = pty.fork()
                if child == 0:
                    os.execv(sys.argv[1], sys.argv[1:])
                written = b""
                while b"notifier ready" not in written:
                    written += os.read(terminal, 1000)
                os.close(terminal)
                print("status", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
                """
            let ending = try await Program.run(
                ProcessHarness.python, ["-c", run, ProcessHarness.marquee, "notifier"],
                environment: try await settings(folder))
            #expect(ending.output == ["status 0"], "\(ending)")
        }

        @Test("a process that cannot start ends the others, and is named")
        func death() async throws {
            let folder = try TemporaryFolder()
            let server = try ScriptedServer { _ in }
            var settings = try await settings(folder)
            settings["MARQUEE_SANDBOX_HTTP"] = String(server.url.dropFirst("http://".count))
            let ending = try await Program.run(ProcessHarness.marquee, ["up"], environment: settings)
            #expect(ending.status == 1 && ending.errors.count == 1, "\(ending)")
            #expect(
                ending.errors.first?.hasPrefix("marquee: the sandbox does not start: it ended with status 1: ") == true)
        }

        /// Addresses that nobody else uses, and what `up` needs to have none of them by chance.
        private func settings(_ folder: TemporaryFolder) async throws -> [String: String] {
            let settings = [
                "MARQUEE_SANDBOX_HTTP": "127.0.0.1:\(try reservePort())",
                "MARQUEE_WORKER_HTTP": "127.0.0.1:0", "MARQUEE_NOTIFIER_HTTP": "127.0.0.1:0",
                "MARQUEE_BOARD_HTTP": "127.0.0.1:0",
            ]
            return settings.merging(try await StoredState(in: folder.file("data")).settings) { $1 }
                .merging(ProcessHarness.sockets(in: folder)) { $1 }.merging(ProcessHarness.english) { $1 }
        }

        /// Looks for the last words of processes that ended by themselves.
        private func expectCleanExit(of roles: [ProcessHarness.Role], in folder: String) throws {
            for role in ProcessHarness.Role.allCases {
                let log = try? String(contentsOfFile: "\(folder)/\(role).log", encoding: .utf8)
                #expect((log != nil) == roles.contains(role))
                if let log { #expect(log.hasSuffix("\(role) stopped\n"), "\(log.suffix(500))") }
            }
        }
    }
}
