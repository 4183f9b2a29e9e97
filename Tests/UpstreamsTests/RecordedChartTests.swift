import BoxOffice
import FoundationEssentials
import TestSupport
import Testing
import Text

@testable import Upstreams

/// The observations about recorded charts hold for the charts that are read from them.
@Suite struct RecordedChartTests {
    /// Returns the violations in a chart by itself.
    private func faults(of entries: [ChartEntry]) -> [String] {
        var faults: [String] = []
        if entries.map(\.line) != Array(1...10) { faults.append("lines \(entries.map(\.line))") }
        if Set(entries.map(\.movieCode)).count != entries.count { faults.append("a movie twice") }
        let ranks = entries.compactMap(\.rank)
        if ranks.count != entries.count || ranks != ranks.sorted() { faults.append("ranks \(ranks)") }
        let audiences = entries.compactMap(\.audience)
        if audiences != audiences.sorted(by: >) { faults.append("audiences \(audiences)") }
        for entry in entries {
            let figures = ChartEntry.Field.allCases.filter { $0 != .openDate && entry[$0] == .null }
            if !figures.isEmpty { faults.append("\(entry.title) lacks \(figures.map(\.rawValue))") }
            if entry.title.isEmpty || entry.title != entry.title.trimmed { faults.append("title \(entry.title)") }
            if entry.isNew, entry.rankChange != 0 || entry.salesDelta != entry.sales { faults.append("new \(entry)") }
        }
        return faults
    }

    @Test(arguments: try RecordedCharts.singleFiles)
    func aRecordedChartIsRead(path: String) throws {
        #expect(faults(of: try RecordedCharts.chart(path)) == [])
    }

    @Test(arguments: try Recorded.files(in: "kobis/daily-2024"))
    func eachRecordedDayOf2024IsRead(path: String) throws {
        for body in try Recorded.lines(path) {
            let faults = faults(of: try Sample.chart(body))
            if !faults.isEmpty { Issue.record("\(path): \(faults)") }
        }
    }

    @Test(arguments: try Recorded.files(in: "kobis/daily-variants"))
    func filteredChartsAreRead(path: String) throws {
        let charts = try Recorded.lines(path).map { try Sample.chart($0) }
        #expect(charts.count == 30)
        #expect(charts.allSatisfy { $0.map(\.line) == Array(1...$0.count) })
    }

    @Test func consecutiveSettledDaysAddUp() throws {
        let charts = try RecordedCharts.settled2024()
        #expect(charts.count == 304)
        var pairs = 0
        for (before, after) in zip(charts, charts.dropFirst()) {
            let known = Dictionary(before.map { ($0.movieCode, $0) }, uniquingKeysWith: { first, _ in first })
            for entry in after {
                guard let earlier = known[entry.movieCode], let rank = entry.rank, let rankBefore = earlier.rank,
                    let audience = entry.audience, let audienceBefore = earlier.audience,
                    let total = entry.audienceTotal, let totalBefore = earlier.audienceTotal
                else { continue }
                pairs += 1
                let isRight =
                    total == totalBefore + audience && entry.audienceDelta == audience - audienceBefore
                    && entry.rankChange == rankBefore - rank
                if !isRight { Issue.record("\(entry) does not follow from \(earlier)") }
            }
        }
        #expect(pairs > 2400)
    }

    @Test func changesInPercentFollowFromTheChangesInNumbers() throws {
        for path in try RecordedCharts.singleFiles {
            for entry in try RecordedCharts.chart(path) {
                #expect(follows(entry.salesChange, from: entry.salesDelta, entry.sales), "\(path): \(entry.title)")
                #expect(
                    follows(entry.audienceChange, from: entry.audienceDelta, entry.audience), "\(path): \(entry.title)")
            }
        }
    }

    private func follows(_ percent: Percent?, from delta: Int?, _ value: Int?) -> Bool {
        guard let percent, let delta, let value else { return false }
        guard value != delta else { return percent.tenths == (value == 0 ? 0 : 1000) }
        let exact = 1000 * Double(delta) / Double(value - delta)
        return abs(exact - Double(percent.tenths)) <= 0.500_001
    }

    @Test func theRecordedQuirksComeThrough() throws {
        let entries = try RecordedCharts.settled2024().flatMap(\.self)
        #expect(entries.contains { $0.openDate == nil })
        #expect(entries.contains { ($0.salesTotal ?? 0) > 1 << 31 })
        #expect(entries.contains { $0.movieCode.description.contains { $0.isLetter } })
        let tie = try #require(
            Recorded.lines("kobis/daily-2024/2024-03.jsonl").map { try Sample.chart($0) }.dropFirst(25).first)
        #expect(tie[6].rank == 7 && tie[7].rank == 7)
    }
}
