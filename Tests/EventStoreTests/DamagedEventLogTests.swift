import EventStoreTestSupport
import Foundation
import Storage
import TestSupport
import Testing

@testable import Contract
@testable import EventStore

/// Whatever is done to the files that a killed process left: the log opens with all that was acknowledged, or not at all.
@Suite struct DamagedEventLogTests {
    private static let files = ["events.db", "events.db-wal", "events.db-lock"]

    private let files: [String: Data]
    private let events: [LoggedEvent]

    /// Half of the events are in the database's file, half in its write-ahead log.
    init() async throws {
        let folder = try TemporaryFolder()
        let older = try await EventLogFixture(in: folder)
        var events = try await older.append((0..<150).map { try draft("movie.A\(1_000_000 + $0)") })
        await older.database.close()
        let log = try await EventLogFixture(in: folder)
        for number in 0..<150 {
            events += try await log.append(draft("request.done.\(number)"), draft("poster.A\(1_000_000 + number)"))
        }
        var files: [String: Data] = [:]
        for name in Self.files { files[name] = try Data(contentsOf: URL(filePath: folder.file(name))) }
        await log.database.close()
        self.files = files
        self.events = events.sorted { ($0.stream.rawValue, $0.sequence) < ($1.stream.rawValue, $1.sequence) }
    }

    /// All events that a log in these files serves.
    private func served(from files: [String: Data]) async throws -> [LoggedEvent] {
        let folder = try TemporaryFolder()
        for (name, data) in files { try data.write(to: URL(filePath: folder.file(name))) }
        let log = try await EventLogFixture(in: folder)
        var events: [LoggedEvent] = []
        for stream in [Stream.movie, .poster, .request] { events += try await log.page(of: stream).events }
        await log.database.close()
        return events
    }

    private func damage(_ files: [String: Data], _ dice: inout SeededGenerator) -> [String: Data] {
        var files = files
        let name = Bool.random(using: &dice) ? "events.db" : "events.db-wal"
        guard var data = files[name] else { return files }
        let place = Int.random(in: 0..<data.count, using: &dice)
        let page = place / 4_096 * 4_096..<min(place / 4_096 * 4_096 + 4_096, data.count)
        switch Int.random(in: 0..<6, using: &dice) {
        case 0, 1: data[place] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &dice)
        case 2: data = data.prefix(place)
        case 3: data.replaceSubrange(page, with: Data(count: page.count))
        case 4: data.replaceSubrange(page, with: page.map { _ in UInt8.random(in: 0...255, using: &dice) })
        default:
            // A sector of somewhere else in the same file, as a disk may write it.
            let from = Int.random(in: 0..<max(1, data.count - 512), using: &dice) / 512 * 512
            let to = Int.random(in: 0..<max(1, data.count - 512), using: &dice) / 512 * 512
            data.replaceSubrange(to..<to + 512, with: Data(data[from..<from + 512]))
        }
        files[name] = data
        return files
    }

    @Test("undamaged files are read completely", .patience)
    func untouched() async throws {
        #expect(events.count == 450)
        #expect(try await served(from: files) == events)
    }

    @Test(
        "a damaged file is read completely or rejected with an error of one line", .patience, .ownThread,
        arguments: 0..<20)
    func damaged(seed: Int) async throws {
        var dice = SeededGenerator(seed: UInt64(seed))
        for round in 0..<20 {
            let files = damage(files, &dice)
            do {
                let isWhole = try await served(from: files) == events
                #expect(isWhole, "seed \(seed), round \(round): other events than were acknowledged")
            } catch let error as DatabaseError {
                #expect(
                    [.corrupt, .notADatabase, .foreign, .newerSchema, .cannotOpen].contains(error.kind), "\(error)")
                #expect(!error.description.contains("\n"))
                #expect(error.description.contains("events.db"))
                #expect(error.advice != nil)
            }
        }
    }

    @Test("a database without its write-ahead log is rejected", .patience)
    func noLog() async throws {
        var files = files
        files["events.db-wal"] = nil
        let error = await #expect(throws: DatabaseError.self) { _ = try await served(from: files) }
        #expect(error?.kind == .corrupt)
    }
}
