import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import Storage
import TestSupport
import Testing

@testable import Worker

/// Days that were recorded more than once: what the worker makes of each version, in the order of their times.
@Suite(.patience) struct RecordedRevisionTests {
    /// A version of a day's chart, and when it was answered.
    private struct Version {
        let time: Date
        let body: [UInt8]

        /// Reads a file such as `kobis/revisions/20260121/20260122T003009Z.json`.
        init(path: String) throws {
            let name = try #require(path.split(separator: "/").last).prefix(15)
            let clock = try #require(Int(name.suffix(6)))
            let seconds = clock / 10_000 * 3600 + clock / 100 % 100 * 60 + clock % 100
            // The name is in UTC, and a Korean day begins nine hours before the day of that name there.
            time = try #require(KoreanDate(name.prefix(8))).start + Double(9 * 3600 + seconds)
            body = Array(try Recorded.data(path))
        }
    }

    /// The revisions that a day's versions make, fetched one after the other and once more when the day has settled.
    private func revisions(of folder: String) async throws -> (versions: [Version], revisions: [ChartRevision]) {
        let versions = try Recorded.files(in: folder).map(Version.init)
        let day = try #require(KoreanDate(String(folder.suffix(8))))
        let harness = try await WorkerHarness()
        let server = try ScriptedServer { exchange in
            exchange.answer(versions[min(exchange.number, versions.count) - 1].body)
        }
        let fetcher = harness.fetcher(kobis: server.url)
        for (index, time) in (versions.map(\.time) + [(day + 4).start]).enumerated() {
            harness.setClock(to: time)
            let request = Request(.day(day, .all), refresh: true)
            let accepted = try await harness.accept(request, as: "r\(index)")
            let result = try await fetcher.result(for: request, asOf: time)
            try await harness.settle(accepted, with: result, askedAt: time)
        }
        let revisions = try await harness.database.read { [log = harness.store.log] connection in
            try log.events(about: .ranking(day: day, market: .all), in: connection).map(ChartRevision.init)
        }
        return (versions, revisions)
    }

    @Test("each version that differs is a revision, and its corrections lead from one to the next", arguments: try days)
    func corrections(folder: String) async throws {
        let (versions, revisions) = try await revisions(of: folder)
        #expect(revisions.map(\.chart.revision) == Array(1...revisions.count))
        // The recorded versions of a day all differ; that it settles is a revision of its own.
        #expect(revisions.count == versions.count + 1)
        for (version, revision) in zip(versions, revisions) {
            #expect(abs(revision.recordedAt.timeIntervalSince(version.time)) < 0.001)
            #expect(revision.chart.state == .provisional)
        }
        for (number, (before, after)) in zip(versions, versions.dropFirst()).enumerated() {
            let corrections = try #require(revisions[number + 1].chart.corrections)
            #expect(try corrections.flatMap(figures(of:)).sorted() == recorded(before, after).sorted())
            #expect(!corrections.isEmpty)
        }
        let last = try #require(revisions.last?.chart)
        #expect(last.state == .settled && last.corrections == [])
    }

    /// The recorded names of the figures that are corrected, by the contract's.
    private static let names = [
        "line": "rnum", "rank": "rank", "rankChange": "rankInten", "sales": "salesAmt", "salesShare": "salesShare",
        "salesDelta": "salesInten", "salesChange": "salesChange", "salesTotal": "salesAcc", "audience": "audiCnt",
        "audienceDelta": "audiInten", "audienceChange": "audiChange", "audienceTotal": "audiAcc", "screens": "scrnCnt",
        "showings": "showCnt",
    ]

    /// Returns what differs between two recorded responses, one line a figure, from their text alone.
    private func recorded(_ before: Version, _ after: Version) throws -> [String] {
        struct Response: Decodable {
            struct Result: Decodable {
                let dailyBoxOfficeList: [[String: String]]
            }

            let boxOfficeResult: Result
        }
        func lines(_ version: Version) throws -> [String: [String: String]] {
            let response = try JSONDecoder().decode(Response.self, from: Data(version.body))
            return Dictionary(
                uniqueKeysWithValues: response.boxOfficeResult.dailyBoxOfficeList.map {
                    ($0["movieCd", default: ""], $0)
                })
        }
        let (old, new) = (try lines(before), try lines(after))
        // No movie came or went in the recorded versions.
        try #require(Set(old.keys) == Set(new.keys))
        return old.flatMap { code, line in
            Self.names.compactMap { name, key in
                let (was, now) = (
                    line[key].flatMap { Decimal(string: $0) }, new[code]?[key].flatMap { Decimal(string: $0) }
                )
                return was == now ? nil : "\(code) \(name) \(was ?? -1) \(now ?? -1)"
            }
        }
    }

    /// Returns a correction in the same form; anything but a figure is described as it is.
    private func figures(of correction: Correction) -> [String] {
        guard case .field(let field, let before, let after) = correction.change else { return ["\(correction)"] }
        func number(_ value: ChartEntry.Value) -> String {
            switch value {
            case .integer(let integer): "\(integer)"
            case .percent(let percent): "\(Decimal(percent.tenths) / 10)"
            default: "\(value)"
            }
        }
        return ["\(correction.movieCode) \(field.rawValue) \(number(before)) \(number(after))"]
    }

    @Test("the corrections of 25 January 2026 equal the observed ones")
    func known() async throws {
        let (_, revisions) = try await revisions(of: "kobis/revisions/20260125")
        #expect(revisions.map { $0.chart.entries[0].audience }.prefix(4) == [96_269, 96_268, 96_266, 96_266])
        #expect(revisions.first?.chart.entries[0].audienceTotal == 2_001_034)
        #expect(revisions.last?.chart.entries[0].audienceTotal == 2_001_028)
    }

    private static var days: [String] {
        get throws { try Recorded.files(in: "kobis/revisions") }
    }
}
