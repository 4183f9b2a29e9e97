import Foundation
import TestSupport
import Testing

extension Terminal {
    /// All processes and their clients with CURVE.
    struct EncryptedTests {
        /// A folder with the keys of a server, of the notifier, and of clients with all roles and with one.
        private func keys() async throws -> TemporaryFolder {
            let folder = try TemporaryFolder()
            for words in [
                ["server", "server"], ["client", "notifier", "--roles", "read,replay"],
                ["client", "client", "--roles", "read,request,replay,shop,operate"],
                ["client", "reader", "--roles=read"], ["client", "nobody", "--roles=read"],
            ] {
                let ending = try await Program.run(
                    ProcessHarness.marquee, ["keys", "new"] + words, environment: ["MARQUEE_CURVE_KEYS": folder.path])
                #expect(ending.status == 0, "\(ending.errors)")
            }
            let nobody = folder.file("clients/nobody.key")
            let text = try String(contentsOfFile: nobody, encoding: .utf8)
            try text.replacing("roles = ", with: "# ").write(toFile: nobody, atomically: true, encoding: .utf8)
            return folder
        }

        private func settings(_ keys: TemporaryFolder) -> [String: String] {
            let curve = ["MARQUEE_CURVE": "on", "MARQUEE_CURVE_KEYS": keys.path, "MARQUEE_CURVE_CLIENT": "client"]
            return ProcessHarness.tcp.merging(curve) { $1 }
        }

        @Test("encrypted connections work, also for the examples in Python and C")
        func encrypted() async throws {
            let keys = try await keys()
            try await ProcessHarness.run(settings: settings(keys)) { harness, client in
                #expect(try await client.day("2024-06-04").isDone)
                for command in [["status"], ["status", "--alerts"], ["request", "day", "2024-06-03"]] {
                    let ending = try await Program.run(
                        ProcessHarness.marquee, command, environment: harness.environment)
                    #expect(ending.status == 0, "\(command): \(ending.errors)")
                }
                let program = keys.file("encrypted")
                let source = "\(ProcessHarness.checkout)/Examples/encrypted"
                let compiled = try await Program.run("/usr/bin/cc", ["-Wall", "-o", program, "\(source).c", "-lzmq"])
                #expect(compiled.status == 0 && compiled.errors == [], "\(compiled.errors)")
                for command in [[ProcessHarness.python, "\(source).py"], [program]] {
                    let ending = try await Program.run(
                        command[0], Array(command.dropFirst()), environment: harness.environment)
                    #expect(ending.status == 0 && ending.output.first?.hasPrefix("status") == true, "\(ending)")
                }
                for file in ["c", "py"] {
                    let lines = try String(contentsOfFile: "\(source).\(file)", encoding: .utf8).split(
                        separator: "\n", omittingEmptySubsequences: false)
                    #expect(lines.count <= 40)
                }
            }
        }

        /// Each command, with the words with which it asks worker or notifier; without any if it asks neither.
        private static let commands: [String: [String]] = [
            "up": [], "worker": [], "notifier": [], "board": [], "sandbox": [], "areas": [], "history": [],
            "export": [], "log": [], "backup": [], "restore": [], "copy": [], "replay": [], "keys": [], "version": [],
            "request": ["day 2024-06-03", "week 2024-06-03"], "product": ["list"],
            "backfill": ["2024-05-01..2024-05-02", "", "2004-01-01..2024-04-30 --detach", "--stop"],
            "poster": ["CODE", "CODE --reject"], "watch": ["heartbeat. --json"], "status": ["", "--alerts"],
            "check": [""], "notify": ["retry paper"],
        ]

        @Test("every command that asks a process does so encrypted")
        func everyCommand() async throws {
            let keys = try await keys()
            let rules = keys.file("rules.yml")
            let text = "rules: {lead: }\nsinks: {paper: {kind: file, path: \(keys.file("alerts.jsonl"))}}\n"
            try Data(text.utf8).write(to: URL(filePath: rules))
            let settings = settings(keys).merging(["MARQUEE_RULES": rules]) { $1 }
            try await ProcessHarness.run(settings: settings) { harness, client in
                let help = try await harness.lines("help").compactMap { $0.firstMatch(of: /^  marquee (\w+)/)?.1 }
                #expect(Set(help.map(String.init)) == Set(Self.commands.keys))
                let chart = try #require(try await client.day("2024-06-04").events.first)
                let code = try #require(chart.data["entries"][0]["movieCode"].text)
                #expect(try await client.request("fetch.movie", ["code": .text(code)]).isDone)
                for (command, uses) in Self.commands {
                    for use in uses {
                        let words = [command] + use.replacing("CODE", with: code).split(separator: " ").map(String.init)
                        let program = try harness.start(words, changes: ProcessHarness.machineClock)
                        if command == "watch" {
                            #expect(await program.output { $0.isEmpty ? nil : $0 } != nil, "\(program.written.errors)")
                            program.signal(SIGINT)
                        }
                        let ending = await program.ended()
                        // 1: the sink has no dead letter. No answer would be 4, and a refusal a line on standard error.
                        let isDone =
                            command == "notify" ? ending.status == 1 && ending.errors == [] : ending.status == 0
                        #expect(isDone, "\(words): \(ending)")
                    }
                }
            }
        }

        @Test("a client may do what the roles of its key allow, and an unknown key gets no answer")
        func refused() async throws {
            let keys = try await keys()
            try await ProcessHarness.run(settings: settings(keys)) { harness, _ in
                let reader = try await harness.marquee(
                    "request", "day", "2024-06-04", changes: ["MARQUEE_CURVE_CLIENT": "reader"])
                #expect(reader.status == 1)
                #expect(reader.errors == ["marquee: forbidden: the client reader does not have the role request"])

                let audit = try #require(try await harness[.worker].error(containing: "request refused"))
                #expect(audit.contains(#""key":"reader""#) && audit.contains(#""address":"127.0.0.1""#))

                // A key that nobody put among the clients, and none at all.
                let other = try await self.keys()
                try FileManager.default.removeItem(atPath: other.file("server.key"))
                try FileManager.default.copyItem(atPath: keys.file("server.key"), toPath: other.file("server.key"))
                for changes in [["MARQUEE_CURVE_KEYS": other.path], ["MARQUEE_CURVE": "off"]] {
                    let stranger = try await harness.marquee("status", changes: changes)
                    #expect(stranger.status == 4, "\(stranger.errors)")
                }
                let line = try #require(try await harness[.worker].error(containing: "unknownKey"))
                #expect(line.contains(#""address":"127.0.0.1""#))
            }
        }

        @Test("a key that is removed ends its client's connections, and no other's")
        func withdrawn() async throws {
            let keys = try await keys()
            try await ProcessHarness.run(settings: settings(keys)) { harness, client in
                let reader = try harness.start(
                    ["watch", "heartbeat.", "--json"], changes: ["MARQUEE_CURVE_CLIENT": "reader"])
                // Of the worker: it has a connection to end.
                #expect(await reader.output { $0.contains("/marquee/worker") ? $0 : nil } != nil)
                try FileManager.default.removeItem(atPath: keys.file("clients/reader.key"))
                let line = try #require(try await harness[.worker].error(containing: #""reason":"revoked""#))
                #expect(line.contains(#""address":"127.0.0.1""#))
                #expect(try await client.day("2024-06-04").isDone)
                let later = try await client.waitForHeartbeat(of: .worker)
                // Had the reader heard it as well, it would have printed it by the next one.
                try await client.waitForHeartbeat(of: .worker)
                #expect(!reader.written.output.contains(later.text))
                reader.signal(SIGKILL)
                _ = await reader.ended()
            }
        }

        @Test(
            "a client that claims routing ids ends neither worker nor notifier, even with a key without roles",
            arguments: ["first", "twice"], [true, false])
        func claimedRoutingIDs(attack: String, isEncrypted: Bool) async throws {
            let keys = try await keys()
            try await ProcessHarness.run(settings: isEncrypted ? settings(keys) : ProcessHarness.tcp) { harness, _ in
                let script = "\(ProcessHarness.checkout)/Tests/EndToEndTests/Operation/routing_ids.py"
                let environment = harness.environment.merging(["MARQUEE_CURVE_CLIENT": "nobody"]) { $1 }
                let ending = try await Program.run(ProcessHarness.python, [script, attack], environment: environment)
                #expect(ending.status == 0 && ending.output == ["both answer"], "\(ending.errors)")
            }
        }

        @Test("without encryption no process listens on an address that other machines can reach")
        func exposed() async throws {
            let folder = try TemporaryFolder()
            for (role, variable) in [("worker", "MARQUEE_EVENTS"), ("notifier", "MARQUEE_ALERTS")] {
                let settings = [variable: "tcp://0.0.0.0:*", "MARQUEE_DATA": folder.path]
                let ending = try await Program.run(ProcessHarness.marquee, [role], environment: settings)
                #expect(ending.status == 2)
                #expect(ending.errors.count == 1 && ending.errors[0].contains("MARQUEE_CURVE=on"), "\(ending.errors)")
            }
        }
    }
}
