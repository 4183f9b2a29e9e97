import Foundation
import Storage
import TestSupport
import Testing

extension Failures {
    /// What keeps a process from starting is told in one line, and by its exit status: 2 for the configuration, else 1.
    struct StartTests {
        @Test("an invalid configuration ends the process before it opens anything")
        func configuration() async throws {
            let folder = try TemporaryFolder()
            let mistakes: [(settings: [String: String], told: String)] = [
                (["MARQUEE_EVENT": "tcp://127.0.0.1:5552"], "MARQUEE_EVENTS"),
                (
                    ["MARQUEE_KOBIS_KEY": "a", "MARQUEE_KOBIS_KEY_FILE": "/etc/debian_version"],
                    "MARQUEE_KOBIS_KEY_FILE"
                ),
                (["MARQUEE_KOBIS_KEY_FILE": folder.file("nothing")], "MARQUEE_KOBIS_KEY_FILE"),
                (["MARQUEE_KAKAO_KEY": "two words"], "MARQUEE_KAKAO_KEY"),
                (["MARQUEE_COMMANDS": "127.0.0.1:5551"], "MARQUEE_COMMANDS"),
                (["MARQUEE_EVENTS": "tcp://127.0.0.1:99999"], "MARQUEE_EVENTS"),
                (["MARQUEE_SANDBOX_HTTP": "here"], "MARQUEE_SANDBOX_HTTP"),
                (["MARQUEE_KOBIS_URL": "ftp://example.org"], "MARQUEE_KOBIS_URL"),
                (["MARQUEE_KOBIS_DAILY_LIMIT": "0"], "MARQUEE_KOBIS_DAILY_LIMIT"),
                (["MARQUEE_PRIVATE_IMAGES": "yes"], "MARQUEE_PRIVATE_IMAGES"),
                (["MARQUEE_LOG_LEVEL": "loud"], "MARQUEE_LOG_LEVEL"),
                (["MARQUEE_LOG_FORMAT": "xml"], "MARQUEE_LOG_FORMAT"),
            ]
            for (settings, told) in mistakes {
                for role in ProcessHarness.Role.allCases {
                    let settings = settings.merging(["MARQUEE_DATA": folder.file("data")]) { $1 }
                    let ending = try await Program.run(ProcessHarness.marquee, [role.rawValue], environment: settings)
                    expect(ending, status: 2, told: told)
                }
            }
            #expect(try await Program.run("/bin/ls", [folder.path]).output == [])
        }

        @Test("an address or folder in use rejects a second process, and its owner continues")
        func inUse() async throws {
            // libzmq takes over an `ipc` file that another process uses.
            try await ProcessHarness.run(settings: ProcessHarness.tcp) { harness, client in
                let other = try await harness.otherState().settings
                let owned: [(ProcessHarness.Role, [String])] = [
                    (.worker, ["MARQUEE_REQUESTS", "MARQUEE_COMMANDS", "MARQUEE_EVENTS"]),
                    (.notifier, ["MARQUEE_ALERTS", "MARQUEE_ALERT_COMMANDS"]), (.sandbox, ["MARQUEE_SANDBOX_HTTP"]),
                ]
                for (role, variables) in owned {
                    for taken in variables {
                        var changes = other
                        for variable in variables where variable != taken { changes[variable] = "tcp://127.0.0.1:*" }
                        let address = try #require(harness.environment[taken])
                        expect(try await harness.marquee(role.rawValue, changes: changes), status: 1, told: address)
                    }
                }
                // On a server, a second worker needs a folder of its own, and a second notifier waits.
                for (role, variables) in owned.prefix(StoredState.isOnServer ? 1 : 2) {
                    let changes = Dictionary(uniqueKeysWithValues: variables.map { ($0, "tcp://127.0.0.1:*") })
                    let told = StoredState.isOnServer ? "another worker has this folder" : "has it open for writing"
                    expect(
                        try await harness.marquee(role.rawValue, changes: changes), status: 1,
                        told: StoredState.isOnServer ? "worker-run" : harness.state.location(of: role).name, told)
                }
                #expect(try await client.day("2024-06-04").isDone)
            }
        }

        @Test("a data folder that is not writable is an error", .onFilesOnly)
        func dataFolder() async throws {
            let folder = try TemporaryFolder()
            for path in ["/proc/marquee", "/proc", "/dev/null", "/dev/null/data"] {
                let state = try await StoredState(in: path)
                for role in [ProcessHarness.Role.worker, .notifier] {
                    expect(try await run(role, state, folder), status: 1, told: path)
                }
            }
        }

        @Test("a database that this program cannot open is not changed", .onFilesOnly)
        func database() async throws {
            let folder = try TemporaryFolder()
            let scripts = [
                "pragma user_version = 99": ["99", "newer version"],
                "pragma application_id = 7": ["another program's"],
            ]
            for (number, (script, told)) in scripts.enumerated() {
                for role in [ProcessHarness.Role.worker, .notifier] {
                    let state = try await StoredState(in: folder.file("\(number)-\(role)"))
                    try await expectStart(of: role, state, folder)
                    try await state.change(script, of: role)
                    let path = state.database(of: role)
                    let before = try await Program.run("/usr/bin/sha256sum", [path])
                    expect(try await run(role, state, folder), status: 1, told: told)
                    let after = try await Program.run("/usr/bin/sha256sum", [path])
                    #expect(after.output == before.output, "\(role): \(script)")
                }
            }
        }

        @Test("a log of another service ends the start, and is told with both services")
        func otherService() async throws {
            let folder = try TemporaryFolder()
            let state = try await StoredState(in: folder.file("data"))
            try await expectStart(of: .worker, state, folder)
            try await state.change("update origin set service = 'kobis.or.kr'", of: .worker)
            expect(
                try await run(.worker, state, folder), status: 1,
                told: "kobis.or.kr", "127.0.0.1", "MARQUEE_DATA", "MARQUEE_DATABASE")
        }

        @Test("a file that is not a database is not changed", .onFilesOnly)
        func noDatabase() async throws {
            let folder = try TemporaryFolder()
            let text = String(repeating: "a letter to somebody\n", count: 100)
            let state = try await StoredState(in: folder.path)
            for role in [ProcessHarness.Role.worker, .notifier] {
                try text.write(toFile: folder.file("\(role).db"), atomically: false, encoding: .utf8)
                expect(try await run(role, state, folder), status: 1, told: "\(role).db")
                #expect(try String(contentsOfFile: folder.file("\(role).db"), encoding: .utf8) == text)
            }
        }

        @Test("SIGTERM and SIGINT end a process cleanly, whatever it is doing")
        func signals() async throws {
            try await ProcessHarness.run { harness, client in
                try await harness.setFaults(["kobis": ["hang": 1]])
                #expect(try await client.ask("fetch.day", "2024-06-04").word == "accepted")
                try await harness.waitForRequests(1, at: ProcessHarness.dailyCharts)
                await harness.end(.worker)
                #expect(try await harness.state.topics(of: .worker).count == 1)
                await harness.end(.notifier, by: SIGINT)
                await harness.end(.sandbox, by: SIGHUP)
            }
        }

        private func run(
            _ role: ProcessHarness.Role, _ state: StoredState, _ folder: TemporaryFolder
        ) async throws -> Program.Ending {
            try await Program.run(ProcessHarness.marquee, [role.rawValue], environment: settings(state, folder))
        }

        /// Starts a process once, so that its tables are there.
        private func expectStart(
            of role: ProcessHarness.Role, _ state: StoredState, _ folder: TemporaryFolder
        ) async throws {
            let first = try Program(ProcessHarness.marquee, [role.rawValue], environment: settings(state, folder))
            try #require(await first.error(containing: "\(role) ready") != nil)
            first.signal(SIGTERM)
            #expect(await first.ended().status == 0)
        }

        private func settings(_ state: StoredState, _ folder: TemporaryFolder) -> [String: String] {
            let settings = [
                "MARQUEE_KOBIS_URL": "http://127.0.0.1:1", "MARQUEE_LOG_FORMAT": "json",
                "MARQUEE_WORKER_HTTP": "127.0.0.1:0", "MARQUEE_NOTIFIER_HTTP": "127.0.0.1:0",
                "MARQUEE_BOARD_HTTP": "127.0.0.1:0",
            ]
            return settings.merging(state.settings) { $1 }.merging(ProcessHarness.sockets(in: folder)) { $1 }
        }

        private func expect(_ ending: Program.Ending, status: Int32, told: String...) {
            expect(ending, status: status, told: told)
        }

        private func expect(_ ending: Program.Ending, status: Int32, told: [String]) {
            #expect(ending.status == status && ending.output == [], "\(told): \(ending)")
            #expect(ending.errors.count == 1, "\(ending.errors)")
            for text in told { #expect(ending.errors.last?.contains(text) == true, "\(ending.errors)") }
        }
    }
}
