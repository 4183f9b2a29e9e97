import JSONCoding
import Testing

@testable import BoxOffice

@Suite struct CorrectionTests {
    private let movie = Sample.code("2022B512")

    @Test func everyFieldThatDiffersIsNamedInTheContractsOrder() {
        var after = Sample.entry
        after.showings = nil
        after.openDate = nil
        after.salesChange = Percent(tenths: 161)
        after.title = "바람의 끝"
        let fields = Correction.between([Sample.entry], and: [after]).map { correction in
            if case .field(let field, _, _) = correction.change { field.rawValue } else { "entry" }
        }
        #expect(fields == ["title", "openDate", "salesChange", "showings"])
    }

    @Test func aFilmThatCameStandsInItsLineAndOneThatWentAtTheEnd() {
        let (stays, went, came) = (Sample.entry, Sample.bare("20240001"), Sample.bare("20240002"))
        #expect(
            Correction.between([went, stays], and: [came, stays]) == [
                Correction(movieCode: came.movieCode, change: .entry(before: nil, after: came)),
                Correction(movieCode: went.movieCode, change: .entry(before: went, after: nil)),
            ])
    }

    @Test("a movie on several lines is compared line by line, and its corrections name the line")
    func severalLines() {
        let (first, other) = (Sample.bare("20240001", line: 1), Sample.bare("20240002", line: 2))
        var again = Sample.bare("20240001", line: 3)
        let before = [first, other, again]
        #expect(Correction.between(before, and: before) == [])
        again.audience = 7
        let changed = Correction(
            movieCode: first.movieCode, line: 3, change: .field(.audience, before: .null, after: .integer(7)))
        #expect(Correction.between(before, and: [first, other, again]) == [changed])
        #expect(
            Correction.between([first, other], and: [first, other, again])
                == [Correction(movieCode: first.movieCode, change: .entry(before: nil, after: again))])
        #expect(
            Correction.between([first, other, again], and: [first, other])
                == [Correction(movieCode: first.movieCode, change: .entry(before: again, after: nil))])
        #expect(
            Correction.between([first, other, again], and: [other, again])
                == [Correction(movieCode: first.movieCode, change: .entry(before: first, after: nil))])
        #expect(
            String(decoding: changed.json, as: UTF8.self)
                == #"{"after":7,"before":null,"field":"audience","line":3,"movieCode":"20240001"}"#)
    }

    @Test func filmsThatChangePlacesAreCorrectedInLineAndRank() {
        var (first, second) = (Sample.bare("20240001", line: 1), Sample.bare("20240002", line: 2))
        let before = [first, second]
        (first.line, second.line) = (2, 1)
        let corrections = Correction.between(before, and: [second, first])
        #expect(
            corrections == [
                Correction(movieCode: second.movieCode, change: .field(.line, before: .integer(2), after: .integer(1))),
                Correction(movieCode: first.movieCode, change: .field(.line, before: .integer(1), after: .integer(2))),
            ])
    }

    @Test(arguments: [
        (
            Correction.Change.field(.audience, before: .integer(96_269), after: .integer(96_266)),
            #"{"after":96266,"before":96269,"field":"audience","movieCode":"2022B512"}"#
        ),
        (
            .field(.salesChange, before: .percent(Percent(tenths: 162)), after: .percent(Percent(tenths: 160))),
            #"{"after":16,"before":16.2,"field":"salesChange","movieCode":"2022B512"}"#
        ),
        (
            .field(.openDate, before: .null, after: .text("2024-05-29")),
            #"{"after":"2024-05-29","before":null,"field":"openDate","movieCode":"2022B512"}"#
        ),
        (
            .field(.isNew, before: .flag(true), after: .flag(false)),
            #"{"after":false,"before":true,"field":"isNew","movieCode":"2022B512"}"#
        ),
        (
            .field(.title, before: .text("2012"), after: .text("2012 ")),
            #"{"after":"2012 ","before":"2012","field":"title","movieCode":"2022B512"}"#
        ),
    ])
    func jsonHasTheValuesBareAndKeepsTheirTypes(change: Correction.Change, text: String) throws {
        let correction = Correction(movieCode: movie, change: change)
        #expect(try jsonText(correction) == text)
        #expect(try roundTrip(correction) == correction)
    }

    @Test func jsonHasAWholeEntryAndNullForAFilmThatCameOrWent() throws {
        let entry = Sample.bare("20240001")
        let line = try jsonText(entry)
        let came = Correction(movieCode: entry.movieCode, change: .entry(before: nil, after: entry))
        let went = Correction(movieCode: entry.movieCode, change: .entry(before: entry, after: nil))
        #expect(try jsonText(came) == #"{"after":\#(line),"before":null,"field":"entry","movieCode":"20240001"}"#)
        #expect(try jsonText(went) == #"{"after":null,"before":\#(line),"field":"entry","movieCode":"20240001"}"#)
        #expect(try roundTrip([came, went]) == [came, went])
    }

    @Test func aFieldNobodyKnowsIsRefused() {
        let text = #"{"after":1,"before":2,"field":"popcorn","movieCode":"2022B512"}"#
        #expect(throws: DecodingError.self) { try readJSON(Correction.self, text) }
    }
}
