import Testing

@testable import BoxOffice

@Suite struct ChartEntryTests {
    private static let fullJSON = """
        {"audience":21533,"audienceChange":-43,"audienceDelta":0,"audienceTotal":411668,"isNew":false,"line":2,\
        "movieCode":"2022B512","openDate":"2024-05-29","rank":1,"rankChange":3,"sales":190532469,"salesChange":16.2,\
        "salesDelta":-26524928,"salesShare":20,"salesTotal":13090833414,"screens":996,"showings":3663,\
        "title":"바람의 \\"끝\\"/2부"}
        """

    private static let bareJSON = """
        {"audience":null,"audienceChange":null,"audienceDelta":null,"audienceTotal":null,"isNew":true,"line":1,\
        "movieCode":"20240001","openDate":null,"rank":null,"rankChange":null,"sales":null,"salesChange":null,\
        "salesDelta":null,"salesShare":null,"salesTotal":null,"screens":null,"showings":null,"title":"첫눈"}
        """

    @Test func jsonHasEveryFieldOfTheContractAndNullWhereNothingIsKnown() throws {
        #expect(try jsonText(Sample.entry) == Self.fullJSON)
        #expect(try jsonText(Sample.bare("20240001")) == Self.bareJSON)
    }

    @Test func jsonIsReadBackAndMayLackWhatIsNull() throws {
        #expect(try roundTrip(Sample.entry) == Sample.entry)
        let bare = Sample.bare("20240001")
        #expect(try roundTrip(bare) == bare)
        let short = #"{"line":1,"isNew":true,"movieCode":"20240001","title":"첫눈","unknown":[1]}"#
        #expect(try readJSON(ChartEntry.self, short) == bare)
    }

    @Test("a figure outside the range of its field is unknown, in a line and in a correction")
    func figuresOutOfRange() throws {
        let line = #"{"line":1,"isNew":true,"movieCode":"20240001","title":"첫눈","rank":0,"screens":-1"#
        let edges = #","rankChange":-9223372036854775808,"audience":1000000001,"salesTotal":9223372036854775807}"#
        #expect(try readJSON(ChartEntry.self, line + edges) == Sample.bare("20240001"))
        let correction = #"{"after":7,"before":-9223372036854775808,"field":"audience","movieCode":"20240001"}"#
        let change = Correction.Change.field(.audience, before: .null, after: .integer(7))
        #expect(
            try readJSON(Correction.self, correction) == Correction(movieCode: Sample.code("20240001"), change: change))
    }

    @Test func aFieldIsWhatJSONSays() {
        #expect(Sample.entry[.salesShare] == .percent(Percent(tenths: 200)))
        #expect(Sample.entry[.openDate] == .text("2024-05-29"))
        #expect(Sample.bare("20240001")[.rank] == .null)
        #expect(ChartEntry.Field.allCases.count == 18)
    }

    private static let movements: [(isNew: Bool, change: Int?, movement: RankMovement, text: String)] = [
        (true, 5, .new, "NEW"), (false, 3, .rose(3), "▲3"), (false, -1, .fell(1), "▼1"),
        (false, 0, .unchanged, "-"), (false, nil, .unchanged, "-"),
    ]

    @Test(arguments: movements)
    func aMovementReadsAsChartsPrintIt(isNew: Bool, change: Int?, movement: RankMovement, text: String) {
        var entry = Sample.bare("20240001")
        entry.isNew = isNew
        entry.rankChange = change
        #expect(entry.movement == movement)
        #expect(entry.movement.description == text)
    }
}
