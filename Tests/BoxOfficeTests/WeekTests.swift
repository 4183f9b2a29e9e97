import Testing

@testable import BoxOffice

@Suite struct WeekTests {
    @Test(
        "a span is found by any day of its week, from Monday to Sunday",
        arguments: [
            (Week.Span.week, "2024-06-03", "2024-06-09"), (.weekend, "2024-06-07", "2024-06-09"),
            (.weekdays, "2024-06-03", "2024-06-06"),
        ])
    func span(_ span: Week.Span, first: String, last: String) {
        let monday = Sample.date("2024-06-03")
        for day in 0..<7 {
            let week = Week(of: monday + day, span: span)
            #expect("\(week)" == "\(first)~\(last)")
            #expect(Week(of: week.firstDay, span: span) == week)
        }
        #expect(Week(of: monday - 1, span: span).lastDay < monday)
        #expect(Week(of: monday + 7, span: span).firstDay > monday + 6)
    }

    @Test("a weekend may reach into the next year")
    func turnOfTheYear() {
        #expect("\(Week(of: Sample.date("2011-12-28"), span: .weekend))" == "2011-12-30~2012-01-01")
    }

    private func chart(_ audience: Int, yearWeek: String? = "202423") -> WeekChart {
        var entry = Sample.entry
        entry.audience = audience
        return WeekChart(
            week: Week(of: Sample.date("2024-06-09"), span: .weekend), yearWeek: yearWeek, market: .all,
            state: .settled, entries: [entry])
    }

    @Test("a week's chart is written as a day's, with its week beside")
    func json() throws {
        var empty = chart(1, yearWeek: nil)
        empty.chart.entries = []
        #expect(
            try jsonText(empty) == #"{"date":"2024-06-07","entries":[],"firstDay":"2024-06-07","#
                + #""lastDay":"2024-06-09","market":"all","revision":1,"span":"weekend","state":"settled","#
                + #""yearWeek":null}"#)
        #expect(try roundTrip(chart(1)) == chart(1))
        #expect(try readJSON(Chart.self, jsonText(chart(1))) == chart(1).chart)
    }

    @Test("a corrected week is the next revision, and the same figures are none")
    func revisions() throws {
        #expect(chart(1).revised(from: chart(1)) == nil)
        let next = try #require(chart(2).revised(from: chart(1)))
        #expect(next.chart.revision == 2)
        #expect(next.chart.corrections?.count == 1)
        #expect(next.week == chart(1).week && next.yearWeek == "202423")
        #expect(try roundTrip(next) == next)
    }
}
