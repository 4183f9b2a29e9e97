import Foundation
import TestSupport
import Testing

extension Terminal {
    /// What the README tells people to type, typed as it stands there.
    struct ReadmeTests {
        @Test("every example prints the day's chart, and fails if there is none")
        func examples() async throws {
            let commands = try readme().matches(of: /\|.*\(Examples\/day\.([a-z]+)\) \| `(.+)` \|/)
            #expect(Set(commands.map(\.1)) == ["py", "c", "swift", "pl", "rb"])
            try await ProcessHarness.run { harness, client in
                let desk = try Desk(harness)
                let chart = try await client.day("2024-06-04").events[0]
                let lines = chart.data["entries"].list.map { entry in
                    "\(Int(entry["rank"].number ?? 0))\t\(entry["title"].text ?? "")\t\(Int(entry["audience"].number ?? 0))"
                }
                for command in commands {
                    let run = try await desk.type(String(command.2))
                    #expect(run.status == 0 && run.errors == [], "\(command.2): \(run)")
                    if command.1 == "c" {
                        let events = run.output.map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
                        #expect(events.first == [chart.topic, chart.text])
                        #expect(events.map { $0[0].split(separator: ".")[1] } == ["day", "done"])
                    } else {
                        #expect(run.output == lines + ["done, from the log"], "\(command.2)")
                    }
                    let never = try await desk.type(String(command.2).replacing("2024-06-04", with: "2099-01-01"))
                    #expect(never.status != 0 && never.errors.count == 1, "\(command.2): \(never)")
                }
            }
        }

        @Test("the examples of the command line work as written")
        func commandLine() async throws {
            let commands = try readme().matches(of: /\n(marquee [^\n]+)/).map { String($0.1) }
            #expect(commands.contains { $0.contains("request") } && commands.contains { $0.contains("watch") })
            try await ProcessHarness.run { harness, client in
                let desk = try Desk(harness)
                // The check compares clocks: see `ProcessHarness.machineClock`.
                for command in commands + ["env TEST_CLOCK=0 marquee check"] {
                    let program = try desk.start(command)
                    if command.contains("watch") {
                        try await waitUntil("the watcher hears a chart") {
                            _ = try await client.day("2024-06-04")
                            return !program.written.output.isEmpty
                        }
                        program.signal(SIGINT)
                    }
                    let ending = await program.ended()
                    #expect(ending.status == 0 && !ending.output.isEmpty, "\(command): \(ending)")
                    // A watcher says there when it has to connect again.
                    #expect(command.contains("watch") || ending.errors == [], "\(command): \(ending)")
                }
            }
        }

        private func readme() throws -> String {
            try String(contentsOfFile: "\(ProcessHarness.checkout)/README.md", encoding: .utf8)
        }

        /// A folder from which the examples can be run, without anything of it left in the checkout.
        private struct Desk {
            private let folder: TemporaryFolder
            private let environment: [String: String]

            init(_ harness: ProcessHarness) throws {
                folder = try TemporaryFolder()
                try FileManager.default.createSymbolicLink(
                    atPath: folder.file("Examples"), withDestinationPath: "\(ProcessHarness.checkout)/Examples")
                environment = harness.environment.merging(
                    ["PATH": "\(ProcessHarness.builtProducts):/usr/local/bin:/usr/bin:/bin"]
                ) { $1 }
            }

            func start(_ command: String) throws -> Program {
                try Program("/bin/sh", ["-c", "exec \(command)"], environment: environment, in: folder.path)
            }

            func type(_ command: String) async throws -> Program.Ending {
                // `swift run` would wait for the build that these tests are part of. A function, as a file that is written and
                // run at once may still be open for writing in a child of another test ("text file busy").
                let script = #"swift() { shift; "$@"; }; "# + command
                return try await Program.run("/bin/sh", ["-c", script], environment: environment, in: folder.path)
            }
        }
    }
}
