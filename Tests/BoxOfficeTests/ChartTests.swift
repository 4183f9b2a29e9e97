import Foundation
import Testing

@testable import BoxOffice

@Suite struct ChartTests {
    private func chart(_ entries: [ChartEntry], state: Chart.State = .provisional) -> Chart {
        Chart(date: Sample.date("2024-06-04"), market: .all, state: state, entries: entries)
    }

    @Test(arguments: [
        ("2024-06-04T16:00:00Z", Chart.State.provisional),
        ("2024-06-07T14:59:59Z", .provisional),
        ("2024-06-07T15:00:00Z", .settled),
        ("2030-01-01T00:00:00Z", .settled),
    ])
    func aDaySettlesWhenThreeWholeDaysHavePassedAfterIt(at text: String, state: Chart.State) throws {
        let instant = try Date(text, strategy: .iso8601)
        #expect(Chart.state(of: Sample.date("2024-06-04"), at: instant) == state)
    }

    @Test func aFirstRevisionSaysNothingOfCorrections() throws {
        let expected = #"{"date":"2024-06-04","entries":[],"market":"all","revision":1,"state":"provisional"}"#
        #expect(try jsonText(chart([])) == expected)
        #expect(try roundTrip(chart([Sample.entry])) == chart([Sample.entry]))
    }

    @Test func theSameFiguresAreNoRevision() {
        #expect(chart([Sample.entry]).revised(from: chart([Sample.entry])) == nil)
    }

    @Test func theSameLinesInAnotherOrderAreNoRevision() throws {
        var second = Sample.entry
        second.line += 1
        let (inOrder, reversed) = ([Sample.entry, second], [second, Sample.entry])
        #expect(chart(reversed).revised(from: chart(inOrder)) == nil)
        let next = try #require(chart(reversed, state: .settled).revised(from: chart(inOrder)))
        #expect(next.entries == reversed)
        #expect(next.corrections == [])
    }

    @Test func aCorrectedFigureIsTheNextRevision() throws {
        var corrected = Sample.entry
        corrected.audience = 21_530
        var earlier = chart([Sample.entry])
        earlier.revision = 4
        let next = try #require(chart([corrected]).revised(from: earlier))
        #expect(next.revision == 5)
        #expect(next.entries == [corrected])
        #expect(
            next.corrections == [
                Correction(
                    movieCode: corrected.movieCode,
                    change: .field(.audience, before: .integer(21_533), after: .integer(21_530)))
            ])
        #expect(try roundTrip(next) == next)
    }

    @Test func aChartThatSettlesIsARevisionWithoutCorrections() throws {
        let next = try #require(chart([Sample.entry], state: .settled).revised(from: chart([Sample.entry])))
        #expect(next.revision == 2)
        #expect(next.corrections == [])
        #expect(try jsonText(next).contains(#""corrections":[],"#))
    }
}
