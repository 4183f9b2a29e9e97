import BoxOffice
import Foundation
import TestSupport
import Testing

extension Terminal {
    /// Standard output and standard error that are full, not read, or closed.
    struct OutputTests {
        /// Runs the words with the standard error of a pipe that is full and that nobody reads.
        private static let unreadErrors = """
            import os, sys
            reading, writing = os.pipe()
            os.set_blocking(writing, False)
            try:
                while True: os.write(writing, b"-" * 4096)
            except BlockingIOError: pass
            os.set_blocking(writing, True)
            os.set_inheritable(reading, True)
            os.dup2(writing, 2)
            os.execv(sys.argv[1], sys.argv[1:])
            """

        /// Runs the words with the standard output of a small pipe that does not block, and prints what came through.
        private static let smallPipe = """
            import fcntl, os, subprocess, sys, time
            reading, writing = os.pipe()
            fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
            os.set_blocking(writing, False)
            program = subprocess.Popen(sys.argv[1:], stdout=writing)
            os.close(writing)
            time.sleep(0.5)
            while part := os.read(reading, 1000): os.write(1, part)
            sys.exit(program.wait())
            """

        @Test("a process whose log nobody reads does its work, and SIGTERM ends it", arguments: ["worker", "notifier"])
        func unreadLog(role: String) async throws {
            try await ProcessHarness.run { harness, _ in
                await harness.end(try #require(ProcessHarness.Role(rawValue: role)))
                let program = try Program(
                    ProcessHarness.python, ["-c", Self.unreadErrors, ProcessHarness.marquee, role],
                    environment: harness.environment)
                let question = role == "worker" ? ["request", "day", "2024-06-04"] : ["status", "--alerts"]
                try await waitUntil("the \(role) answers") {
                    try await harness.start(question).ended().status
                } is: {
                    $0 == 0
                }
                program.signal(SIGTERM)
                #expect(await program.ended().status == 0)
            }
        }

        @Test("output that cannot be written is an error, in the language of the terminal")
        func full() async throws {
            try await ProcessHarness.run { harness, _ in
                try await harness.request([try #require(KoreanDate("2024-06-04"))])
                let commands = [
                    "help", "help watch", "version", "areas", "status", "status --json", "check", "log",
                    "export --csv", "export --json", "history day 2024-06-04", "request day 2024-06-04",
                    "replay --dry-run", "watch heartbeat",
                ]
                for command in commands {
                    let ending = try await run("\(command) > /dev/full", harness)
                    #expect(ending.status == 1, "\(command): \(ending)")
                    #expect(
                        ending.errors == ["marquee: cannot write to standard output: No space left on device"],
                        "\(command)")
                }
                let closed = try await run("help >&-", harness)
                #expect(closed.status == 1)
                #expect(closed.errors == ["marquee: cannot write to standard output: Bad file descriptor"])
                let korean = try await run("help --language ko > /dev/full", harness)
                #expect(korean.status == 1 && korean.errors == ["marquee: 표준 출력에 쓸 수 없습니다: 디스크 공간 부족"])
            }
        }

        @Test("all output goes through a small pipe that does not block")
        func smallPipe() async throws {
            try await ProcessHarness.run { harness, _ in
                try await harness.request(try (3...6).map { try #require(KoreanDate("2024-06-0\($0)")) })
                for format in ["--csv", "--json"] {
                    let all = try await harness.lines("export", format)
                    let read = try await Program.run(
                        ProcessHarness.python, ["-c", Self.smallPipe, ProcessHarness.marquee, "export", format],
                        environment: harness.environment)
                    #expect(read.status == 0 && read.errors == [] && read.output == all)
                }
            }
        }

        @Test("no socket of a process gets the number of a standard descriptor that is closed")
        func closedDescriptors() async throws {
            try await ProcessHarness.run { harness, _ in
                await harness.end(.worker)
                let program = try Program(
                    "/bin/sh", ["-c", "echo $$; exec '\(ProcessHarness.marquee)' worker <&- >&- 2>&-"],
                    environment: harness.environment.merging(["MARQUEE_TRACEABLE": "yes"]) { $1 })
                let process = try #require(await program.output { Int($0) })
                try await waitUntil("the worker answers") { try await harness.start(["status"]).ended().status == 0 }
                for descriptor in 0...2 {
                    let file = try FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/\(process)/fd/\(descriptor)")
                    #expect(file == "/dev/null", "\(descriptor)")
                }
                program.signal(SIGTERM)
                #expect(await program.ended().status == 0)
            }
        }

        /// Runs a command line of `marquee` by the shell.
        private func run(_ command: String, _ harness: ProcessHarness) async throws -> Program.Ending {
            try await Program.run(
                "/bin/sh", ["-c", "exec '\(ProcessHarness.marquee)' \(command)"],
                environment: harness.environment.merging(ProcessHarness.english) { $1 })
        }
    }
}
