import BoxOffice
import Contract
import EventStore
import Foundation
import Storage
import TestSupport
import Testing
import Worker

/// `marquee backup`, `restore` and `log`, on real processes.
@Suite(.patience) struct LogCareTests {
    private let june: KoreanDate

    init() throws {
        june = try #require(KoreanDate(year: 2024, month: 6, day: 1))
    }

    private func contents(_ harness: ProcessHarness) throws -> LogDatabase.Contents {
        try WorkerProcess.log(in: .file(harness.data("worker.db"))).contents()
    }

    @Test("a log is summarized and backed up while the worker runs, and restored as a new epoch", .onFilesOnly)
    func roundTrip() async throws {
        try await ProcessHarness.run { harness, _ in
            let backup = harness.folder.file("backup")
            try await harness.request((0..<3).map { june + $0 })
            let before = try contents(harness)
            let log = try await harness.lines("log")
            #expect(log[0].contains("worker.db, ") && log[0].contains("epoch \(before.epoch)"))
            #expect(log.contains { $0.hasPrefix("ranking       3       3       1  20") })
            #expect(try await harness.lines("log", "--alerts")[0].contains("notifier.db, "))

            #expect(
                try await harness.lines("backup", backup) == ["\(harness.data())/worker.db is backed up in \(backup)"])
            try await harness.request((3..<6).map { june + $0 })
            let taken = try await harness.marquee("backup", backup)
            #expect(taken.status == 1)
            #expect(taken.errors == ["marquee: creating \(backup): File exists (code 17); choose another name"])

            let refused = try await harness.marquee("restore", backup)
            #expect(refused.status == 1)
            #expect(refused.errors.contains { $0.contains("has it open for writing; stop the other process") })
            let wrong = try await harness.marquee("restore", "--alerts", backup)
            #expect(wrong.errors == ["marquee: \(backup) is a database of the worker: restore it without --alerts"])

            let worker = try harness[.worker]
            worker.signal(SIGKILL)
            _ = await worker.ended()
            let restored = try await harness.lines("restore", backup)
            #expect(restored.last == "kept what was there: \(harness.data())/worker.db-replaced-1")
            let after = try contents(harness)
            #expect(after.epoch != before.epoch)
            #expect(after.streams == before.streams)
            #expect(
                try WorkerProcess.log(in: .file(harness.data("worker.db-replaced-1"))).contents().streams[.ranking]?
                    .events
                    == 6)

            try await harness.restart(.worker, by: 0)
            let status = try await harness.lines("status", "--json")
            #expect(status[0].contains(after.epoch))
            try await harness.request([june + 3])
            #expect(try contents(harness).streams[.ranking]?.newest.sequence == SequenceNumber(4))
        }
    }

    @Test(
        "a log on a read-only mount is read while the worker runs, after it was killed, and after it has ended",
        .onFilesOnly)
    func readOnlyMount() async throws {
        try await ProcessHarness.run { harness, _ in
            try await Program.require(
                "mount of its own (root or user namespaces)", by: onReadOnlyMount(harness) + ["true"])
            try await harness.request([june, june + 1])
            var copies = 0
            func expectReadable(_ state: String) async throws {
                copies += 1
                let copy = harness.folder.file("copy\(copies)")
                for command in [
                    ["log"], ["history", "day", "\(june)"], ["export", "--csv"], ["backup", copy], ["replay"],
                ] {
                    let ending = try await run(command, harness)
                    #expect(ending.status == 0 && ending.errors == [], "\(state): \(command) \(ending)")
                    #expect(!ending.output.isEmpty, "\(state): \(command)")
                }
                #expect(try WorkerProcess.log(in: .file(copy)).contents().streams[.ranking]?.events == 2, "\(state)")
            }
            try await expectReadable("running")
            let worker = try harness[.worker]
            worker.signal(SIGKILL)
            _ = await worker.ended()
            try await expectReadable("killed")
            try await harness.restart(.worker, by: 0)
            await harness.end(.worker)
            try await expectReadable("ended")
            let check = try await run(["check"], harness)
            let line = check.output.first { $0.contains("data folder") }
            #expect(check.status == 1 && line?.hasPrefix("FAILED") == true, "\(check)")
            #expect(line?.contains("Read-only file system; set MARQUEE_DATA to a folder that is writable") == true)
        }
    }

    /// The words before a command that make it see the data folder as a read-only mount.
    private func onReadOnlyMount(_ harness: ProcessHarness) -> [String] {
        let script = #"mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@""#
        let namespaces = ["--mount"] + (getuid() == 0 ? [] : ["--map-root-user"])
        return ["/usr/bin/unshare"] + namespaces + ["sh", "-c", script, harness.data()]
    }

    /// Runs `marquee` on the read-only mount.
    private func run(_ command: [String], _ harness: ProcessHarness) async throws -> Program.Ending {
        let words = onReadOnlyMount(harness) + [ProcessHarness.marquee] + command
        return try await Program.run(
            words[0], Array(words.dropFirst()), environment: harness.environment.merging(ProcessHarness.english) { $1 })
    }

    @Test("a damaged database ends the start with one line that says what to do", .onFilesOnly)
    func damaged() async throws {
        try await ProcessHarness.run { harness, _ in
            try await harness.request([june])
            await harness.end(.worker)
            let path = harness.data("worker.db")
            var data = try Data(contentsOf: URL(filePath: path))
            // Inside an event, where SQLite does not look.
            let place = try #require(data.range(of: Data(#""salesShare":"#.utf8))).lowerBound
            data[place] ^= 1
            try data.write(to: URL(filePath: path))
            let ending = try await harness.marquee("worker")
            #expect(ending.status == 1)
            #expect(
                ending.errors.last
                    == "marquee: checking \(path): event 0000000000000001 of the stream ranking does not match its checksum; "
                    + "restore a backup with `marquee restore`, which keeps this file under another name")
            #expect(try await harness.marquee("backup", harness.folder.file("copy")).status == 1)
            #expect(!FileManager.default.fileExists(atPath: harness.folder.file("copy")))
            #expect(try await harness.marquee("log").status == 1)
        }
    }
}
