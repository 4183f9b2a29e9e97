import BoxOffice
import Contract
import FoundationEssentials
import JSONCoding
import Testing

@testable import Notifier

@Suite struct AlertRulesTests {
    private let rules = AlertRules()

    private func summary(_ alerts: [Alert]) -> [String] {
        alerts.map { "\($0.rule.rawValue) \($0.title ?? "")" }
    }

    @Test(
        "alerts are in line order and, for one movie, by rule; departed movies follow in the order of their last lines")
    func order() throws {
        let before = try SourcedChart.june(
            3,
            [
                .movie("A", line: 1), .movie("B", line: 2), .movie("C", line: 3), .movie("D", line: 4),
                .movie("E", line: 5),
            ],
            number: 7)
        let day = try SourcedChart.june(
            4,
            [
                .movie("N", line: 1, isNew: true), .movie("E", line: 2, change: 3), .movie("A", line: 3, change: -2),
                .movie("X", line: 4, change: 40), .movie("Y", line: 5, change: -3),
            ], number: 9)
        let alerts = rules.alerts(for: day, before: before)
        #expect(
            summary(alerts) == [
                "entered N", "lead N", "rose E", "rose X", "fell Y", "left B", "left C", "left D",
            ])
        #expect(
            alerts.map { $0.evidence.map(\.sequence.value) } == [[9], [9, 7], [9], [9], [9]] + [
                [9, 7], [9, 7], [9, 7],
            ])
        #expect(alerts[0].id == "entered.NNNNNNNN.2024-06-04.all")
    }

    @Test("figures at the edges of a number decide nothing and do no harm")
    func edges() throws {
        func read(_ chart: SourcedChart) throws -> SourcedChart {
            SourcedChart(chart: try Chart(json: chart.chart.json), evidence: chart.evidence)
        }
        var entry = try ChartEntry.movie("A", line: 1, change: .min)
        (entry.audience, entry.audienceTotal, entry.screens) = (.min, .max, .max)
        let rules = AlertRules([
            .init(FellRule()), .init(LeadRule()), .init(MilestoneRule()), .init(ScreensRule()), .init(BestRule()),
        ])
        let before = try SourcedChart.june(3, [.movie("B", line: 1)])
        let alerts = rules.alerts(for: try read(.june(4, [entry])), before: before)
        #expect(summary(alerts) == ["lead A"])
    }

    @Test("without the day before, no movie leaves or takes the lead")
    func alone() throws {
        let day = try SourcedChart.june(4, [.movie("N", line: 1, isNew: true), .movie("E", line: 2, change: 3)])
        #expect(summary(rules.alerts(for: day, before: nil)) == ["entered N", "rose E"])
    }

    @Test(
        "a rise or fall fires from the threshold on, and not for a new movie or an unknown change",
        arguments: [
            (3, 2, false, []), (3, 3, false, ["rose A"]), (3, -2, false, []), (3, -3, false, ["fell A"]),
            (3, 5, true, ["entered A"]), (3, nil, false, []), (1, 1, false, ["rose A"]),
            (3, .max, false, ["rose A"]), (3, .min, false, ["fell A"]),
        ] as [(Int, Int?, Bool, [String])])
    func threshold(threshold: Int, change: Int?, isNew: Bool, expected: [String]) throws {
        let day = try SourcedChart.june(4, [.movie("A", line: 1, change: change, isNew: isNew)])
        let rules: [any MovieRule] = [EnteredRule(), RoseRule(by: threshold), FellRule(by: threshold)]
        #expect(summary(AlertRules(rules.map { ConfiguredRule($0) }).alerts(for: day, before: nil)) == expected)
    }

    @Test("the lead goes by lines: a tie on rank 1 leads only from line 1")
    func tie() throws {
        let before = try SourcedChart.june(3, [.movie("A", line: 1), .movie("B", line: 2)])
        let tied = try SourcedChart.june(4, [.movie("A", line: 1), .movie("B", line: 2, rank: 1, change: 1)])
        let turned = try SourcedChart.june(4, [.movie("B", line: 1, change: 1), .movie("A", line: 2, rank: 1)])
        #expect(summary(rules.alerts(for: tied, before: before)) == [])
        #expect(summary(rules.alerts(for: turned, before: before)) == ["lead B"])
    }

    @Test("ranks and change are null where they are not known")
    func ranks() throws {
        let before = try SourcedChart.june(3, [.movie("A", line: 1), .movie("B", line: 2)])
        var back = try ChartEntry.movie("C", line: 1, change: nil)
        back.rank = nil
        let day = try SourcedChart.june(4, [back, .movie("N", line: 2, isNew: true), .movie("R", line: 3, change: 9)])
        let alerts = rules.alerts(for: day, before: before)
        #expect(summary(alerts) == ["lead C", "entered N", "rose R", "left A", "left B"])
        #expect(alerts.map(\.rank) == [nil, 2, 3, nil, nil])
        #expect(alerts.map(\.previousRank) == [nil, nil, 12, 1, 2])
        #expect(alerts.map(\.change) == [nil, nil, 9, nil, nil])
        #expect(alerts.map(\.severity) == [.info, .notable, .notable, .major, .notable])
    }

    @Test("texts have the expected wording in both languages")
    func texts() throws {
        var winner = try ChartEntry.movie("A", line: 1, change: 3)
        winner.title = "파묘"
        winner.audience = 1_234_567
        var loser = try ChartEntry.movie("B", line: 1)
        loser.title = "서울의 봄"
        var entered = try ChartEntry.movie("N", line: 7, isNew: true)
        entered.title = "듄"
        let before = try SourcedChart.june(3, [loser])
        let day = try SourcedChart.june(4, [winner, entered])
        let texts = rules.alerts(for: day, before: before).map(\.text)
        #expect(
            texts.map(\.ko) == [
                "〈파묘〉 4위→1위 ▲3", "〈파묘〉, 〈서울의 봄〉을 제치고 1위(▲3), 일일 관객수 1,234,567명", "〈듄〉 7위로 신규 진입",
                "〈서울의 봄〉 10위권 이탈(전날 1위)",
            ])
        #expect(
            texts.map(\.en) == [
                "파묘 is up 3 places to No. 1 (from No. 4)",
                "파묘 takes No. 1 from 서울의 봄, with 1,234,567 admissions on the day", "듄 is new at No. 7",
                "서울의 봄 has left the top ten (No. 1 the day before)",
            ])
    }

    @Test("an alert is written in the contract's form and reads back equal")
    func coding() throws {
        let before = try SourcedChart.june(3, [.movie("A", line: 1)], number: 1)
        let day = try SourcedChart.june(4, [.movie("B", line: 1, change: nil)], number: 2)
        let alerts = rules.alerts(for: day, before: before)
        #expect(
            String(decoding: alerts[1].json, as: UTF8.self)
                == #"{"change":null,"date":"2024-06-04","evidence":[{"sequence":"0000000000000002","stream":"ranking"},"#
                + #"{"sequence":"0000000000000001","stream":"ranking"}],"movieCode":"AAAAAAAA","previousRank":1,"rank":null,"#
                + #""rule":"left","severity":"major","text":{"en":"A has left the top ten (No. 1 the day before)","#
                + #""ko":"〈A〉 10위권 이탈(전날 1위)"},"title":"A","values":{"audienceTotal":null}}"#)
    }

    @Test("a movie that a chart lists twice gets each alert once, in the order of its first line")
    func twice() throws {
        let before = try SourcedChart.june(3, [.movie("A", line: 1), .movie("C", line: 2), .movie("A", line: 3)])
        let day = try SourcedChart.june(
            4,
            [
                .movie("B", line: 1, isNew: true), .movie("D", line: 2, change: 3), .movie("B", line: 3, isNew: true),
                .movie("D", line: 4, change: 5),
            ])
        let alerts = AlertRules().alerts(for: day, before: before)
        #expect(
            alerts.map { "\($0.rule.rawValue) \($0.title ?? "")" } == [
                "entered B", "lead B", "rose D", "left A", "left C",
            ])
    }

    @Test("a movie whose line has another's code has not left the chart")
    func wrongCode() throws {
        let before = try SourcedChart.june(3, [.movie("A", line: 1), .movie("B", line: 2), .movie("C", line: 3)])
        let day = try SourcedChart.june(4, [.movie("A", line: 1), .movie("A", line: 2), .movie("C", line: 3)])
        #expect(AlertRules().alerts(for: day, before: before) == [])
    }

    @Test("the further lines of a movie fire nothing, and count in no record")
    func furtherLines() throws {
        let rules: [any MovieRule] = [
            EnteredRule(), RoseRule(), BestRule(after: 1), MilestoneRule(), CorrectionRule(percent: 1, from: 1),
        ]
        func chart(_ day: Int, first: Int, second: Int) throws -> SourcedChart {
            var (movie, again) = (
                try ChartEntry.movie("A", line: 1), try ChartEntry.movie("A", line: 2, change: 5, isNew: day > 4)
            )
            (movie.audience, movie.audienceTotal) = (first, 900_000)
            (again.audience, again.audienceTotal) = (second, 1_000_000)
            movie.openDate = KoreanDate(year: 2024, month: 6, day: 1)
            again.openDate = movie.openDate
            return try .june(day, [again, movie])
        }
        var state = AlertState(rules: AlertRules(rules.map { ConfiguredRule($0) }))
        for day in 1...5 { #expect(state.apply(try chart(day, first: 5_000, second: 9_000)).isEmpty) }
        var corrected = try chart(5, first: 5_000, second: 8_000)
        corrected.chart = try #require(corrected.chart.revised(from: chart(5, first: 5_000, second: 9_000).chart))
        #expect(state.apply(corrected).isEmpty)
        // The best day so far is one of the first lines.
        #expect(state.apply(try chart(6, first: 6_000, second: 1)).map(\.rule) == ["best"])
    }

    @Test("a movie whose code the source corrects has not left the chart, and took the lead from nobody")
    func correctedCode() throws {
        func chart(_ day: Int, _ code: Character, opening: String?) throws -> SourcedChart {
            var movie = try ChartEntry.movie("\(code)", line: 1)
            movie.title = "파묘"
            movie.openDate = opening.flatMap { KoreanDate($0) }
            return try .june(day, [movie])
        }
        for (opening, names) in [("2024-05-22", []), (nil, ["lead", "left"])] {
            let alerts = AlertRules().alerts(
                for: try chart(4, "B", opening: opening), before: try chart(3, "A", opening: opening))
            #expect(alerts.map(\.rule.rawValue) == names)
        }
    }
}
