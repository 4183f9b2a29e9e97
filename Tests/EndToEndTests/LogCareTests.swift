import BoxOffice
import Contract
import EventStore
import Foundation
import TestSupport
import Testing
import Worker

/// `marquee backup`, `restore` and `log`, on real processes.
@Suite struct LogCareTests {
    private let june: KoreanDate

    init() throws {
        june = try #require(KoreanDate(year: 2024, month: 6, day: 1))
    }

    private func contents(_ stage: Stage) throws -> LogDatabase.Contents {
        try WorkerProcess.logFile(inFolder: stage.data()).contents()
    }

    @Test("a log is told, backed up while the worker runs, and restored as a new epoch", .timeLimit(.minutes(5)))
    func roundTrip() async throws {
        try await Stage.play { stage, _ in
            let backup = stage.folder.file("backup")
            try await stage.request((0..<3).map { june + $0 })
            let before = try contents(stage)
            let log = try await stage.lines("log")
            #expect(log[0].contains("worker.db, ") && log[0].contains("epoch \(before.epoch)"))
            #expect(log.contains { $0.hasPrefix("ranking       3       3       1  20") })
            #expect(try await stage.lines("log", "--alerts")[0].contains("notifier.db, "))

            #expect(try await stage.lines("backup", backup) == ["\(stage.data())/worker.db is backed up in \(backup)"])
            try await stage.request((3..<6).map { june + $0 })
            let taken = try await stage.marquee("backup", backup)
            #expect(taken.status == 1)
            #expect(taken.errors == ["marquee: creating \(backup): File exists (code 17); choose another name"])

            let refused = try await stage.marquee("restore", backup)
            #expect(refused.status == 1)
            #expect(refused.errors.contains { $0.contains("has it open for writing; stop the other process") })
            let wrong = try await stage.marquee("restore", "--alerts", backup)
            #expect(wrong.errors == ["marquee: \(backup) is of the worker: restore it without --alerts"])

            let worker = try stage[.worker]
            worker.signal(SIGKILL)
            _ = await worker.ended()
            let restored = try await stage.lines("restore", backup)
            #expect(restored.last == "kept what was there: \(stage.data())/worker.db-replaced-1")
            let after = try contents(stage)
            #expect(after.epoch != before.epoch)
            #expect(after.streams == before.streams)
            #expect(
                try WorkerProcess.logFile(at: stage.data("worker.db-replaced-1")).contents().streams[.ranking]?.events
                    == 6)

            try await stage.restart(.worker, by: 0)
            let status = try await stage.lines("status")
            #expect(status[0].contains(after.epoch))
            try await stage.request([june + 3])
            #expect(try contents(stage).streams[.ranking]?.newest.sequence == SequenceNumber(4))
        }
    }

    @Test("a damaged database ends the start in one line that says what to do", .timeLimit(.minutes(5)))
    func damaged() async throws {
        try await Stage.play { stage, _ in
            try await stage.request([june])
            await stage.end(.worker)
            let path = stage.data("worker.db")
            var data = try Data(contentsOf: URL(filePath: path))
            // Inside an event, where SQLite does not look.
            let place = try #require(data.range(of: Data(#""salesShare":"#.utf8))).lowerBound
            data[place] ^= 1
            try data.write(to: URL(filePath: path))
            let ending = try await stage.marquee("worker")
            #expect(ending.status == 1)
            #expect(
                ending.errors.last
                    == "marquee: checking \(path): event 0000000000000001 of the stream ranking does not match its checksum; "
                    + "restore a backup with `marquee restore`, which keeps this file under another name")
            #expect(try await stage.marquee("backup", stage.folder.file("copy")).status == 1)
            #expect(!FileManager.default.fileExists(atPath: stage.folder.file("copy")))
            #expect(try await stage.marquee("log").status == 1)
        }
    }
}
