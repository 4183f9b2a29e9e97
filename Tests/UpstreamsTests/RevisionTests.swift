import BoxOffice
import FoundationEssentials
import TestSupport
import Testing

@testable import Upstreams

/// Charts that were recorded several times, as revisions of one another.
@Suite struct RevisionTests {
    private func versions(of folder: String) throws -> [Chart] {
        let date = try #require(KoreanDate(folder.suffix(8)))
        return try Recorded.files(in: folder).map { path in
            Chart(date: date, market: .all, state: .provisional, entries: try RecordedCharts.chart(path))
        }
    }

    @Test(arguments: try RecordedCharts.revisedDays)
    func eachVersionIsTheOneBeforeWithItsCorrections(folder: String) throws {
        let versions = try versions(of: folder)
        var known = try #require(versions.first)
        #expect(known.revised(from: known) == nil)
        for (index, version) in versions.dropFirst().enumerated() {
            let next = try #require(version.revised(from: known))
            #expect(next.revision == index + 2)
            let corrections = try #require(next.corrections)
            #expect(!corrections.isEmpty)
            // Field corrections lead from each old line to the new one: nothing else differs.
            for entry in next.entries {
                guard let earlier = known.entries.first(where: { $0.movieCode == entry.movieCode }) else { continue }
                let differing = ChartEntry.Field.allCases.filter { entry[$0] != earlier[$0] }
                let named = corrections.filter { $0.movieCode == entry.movieCode }
                #expect(
                    named.map(\.change)
                        == differing.map { .field($0, before: earlier[$0], after: entry[$0]) })
            }
            known = next
        }
    }

    @Test func theSundayThatWasRecordedFourTimesHasItsKnownCorrections() throws {
        let versions = try versions(of: "kobis/revisions/20260125")
        let first = try #require(versions.first?.entries.first)
        let audiences = versions.map { version in version.entries.first { $0.movieCode == first.movieCode }?.audience }
        #expect(audiences.first == 96_269)
        #expect(audiences.last == 96_266)
        let totals = versions.compactMap { version in
            version.entries.first { $0.movieCode == first.movieCode }?.audienceTotal
        }
        #expect(totals.first == 2_001_034)
        #expect(totals.last == 2_001_028)
    }
}
