import BoxOffice
import Contract
import Testing

@testable import Notifier

/// The rules beside the contract's five, each by itself.
@Suite struct FurtherRulesTests {
    /// A movie's day: its admissions, those so far, and its line; nil for a day on which it is not in the chart.
    private struct Day {
        var audience: Int?
        var total: Int?
        var line = 1
        var screens: Int?
        var openDate: KoreanDate?
        var isNew = false
        var isAway = false

        static let away = Day(isAway: true)
    }

    /// The alerts about the movie A by one rule, as day and Korean text, when these days of June come in their turn.
    private func fires(_ rule: any MovieRule, _ days: [Day?]) throws -> [String] {
        try alerts(rule, days).map { "\($0.date.day) \($0.text.ko)" }
    }

    private func alerts(_ rule: any MovieRule, _ days: [Day?]) throws -> [Alert] {
        var state = AlertState(rules: AlertRules([ConfiguredRule(rule)]))
        var alerts: [Alert] = []
        for (index, day) in days.enumerated() {
            guard let day else { continue }
            var entries = [try ChartEntry.movie("Z", line: 20)]
            if !day.isAway {
                var movie = try ChartEntry.movie("A", line: day.line, isNew: day.isNew)
                (movie.audience, movie.audienceTotal, movie.screens) = (day.audience, day.total, day.screens)
                movie.openDate = day.openDate
                entries.insert(movie, at: 0)
            }
            alerts += state.apply(try .june(index + 1, entries))
        }
        return alerts
    }

    @Test("the reentered rule fires after days without the movie, if those days are known")
    func reentered() throws {
        let rule = ReenteredRule(after: 2)
        #expect(try fires(rule, [Day(), .away, .away, Day(line: 3), Day()]) == ["4 〈A〉, 2일 만에 3위로 재진입"])
        #expect(try fires(rule, [Day(), .away, Day()]) == [])
        #expect(try fires(rule, [Day(), .away, .away, nil, Day()]) == [])
        #expect(try fires(rule, [.away, .away, .away, Day()]) == [])
    }

    @Test("a movie that had previews has not reentered on its opening day, nor on the day that marks it as new")
    func reenteredAfterPreviews() throws {
        let rule = ReenteredRule(after: 2)
        let fourth = try #require(KoreanDate(year: 2024, month: 6, day: 4))
        #expect(try fires(rule, [Day(), .away, .away, Day(openDate: fourth)]) == [])
        #expect(try fires(rule, [Day(), .away, .away, Day(isNew: true)]) == [])
        #expect(try fires(rule, [Day(), .away, .away, Day(openDate: fourth - 1)]) == ["4 〈A〉, 2일 만에 1위로 재진입"])
    }

    @Test("the opening rule fires on the opening day")
    func opening() throws {
        let second = try #require(KoreanDate(year: 2024, month: 6, day: 2))
        let day = Day(audience: 330_118, line: 2, screens: 1_200, openDate: second)
        #expect(try fires(OpeningRule(), [day, day, day]) == ["2 〈A〉 개봉 첫날 2위, 관객 330,118명, 스크린 1,200개"])
    }

    @Test(
        "the streak rule fires at its lengths; a day with another leader or without a chart ends the streak"
    )
    func streak() throws {
        let rule = StreakRule(days: [3, 5])
        let days = Array(repeating: Day?.some(Day()), count: 6)
        #expect(try fires(rule, [.away] + days) == ["4 〈A〉 3일 연속 1위", "6 〈A〉 5일 연속 1위"])
        #expect(try fires(rule, [.away, Day(), Day(), Day(line: 2), Day(), Day()]) == [])
        // A day that is not known may have been the first of a longer streak.
        #expect(try fires(rule, days) == [])
        #expect(try fires(rule, [.away, Day(), Day(), nil, Day(), Day(), Day()]) == [])
    }

    @Test("a milestone fires once, on the day that passes it; of several, only the highest fires")
    func milestone() throws {
        let rule = MilestoneRule(totals: [100, 300, 1_000])
        func day(_ total: Int, _ audience: Int?) -> Day { Day(audience: audience, total: total) }
        #expect(
            try fires(rule, [day(90, 90), day(100, 10), day(110, 10), day(350, 240)])
                == ["2 〈A〉 100 관객 돌파(누적 100명)", "4 〈A〉 300 관객 돌파(누적 350명)"])
        #expect(try fires(rule, [day(500, 450)]) == ["1 〈A〉 300 관객 돌파(누적 500명)"])
        // What nobody saw happen is not told.
        #expect(try fires(rule, [day(500, 10), day(510, 10)]) == [])
        #expect(try fires(rule, [day(500, nil), day(510, 10)]) == [])
        // A day that is missing may have been the one.
        #expect(try fires(rule, [day(90, 90), nil, day(120, 10)]) == [])
        #expect(try fires(rule, [day(90, 90), nil, day(120, 30)]) == ["3 〈A〉 100 관객 돌파(누적 120명)"])
        #expect(try fires(rule, [day(90, 90), .away, day(120, 10)]) == ["3 〈A〉 100 관객 돌파(누적 120명)"])
        var old = day(100, 100)
        old.openDate = KoreanDate("2009-12-17")
        #expect(try fires(rule, [old]) == [])
    }

    @Test("a best-day alert fires only for a movie that has been known for some days")
    func best() throws {
        let rule = BestRule(after: 3)
        let first = try #require(KoreanDate(year: 2024, month: 6, day: 1))
        func days(_ audiences: [Int?], opening: KoreanDate?) -> [Day?] {
            audiences.map { $0.map { Day(audience: $0, openDate: opening) } }
        }
        #expect(try fires(rule, days([10, 20, 15, 20, 21], opening: first)) == ["5 〈A〉 개봉 후 일일 최다 관객 21명(종전 20명)"])
        #expect(try fires(rule, days([10, 20], opening: first)) == [])
        // More people may have seen it on a day that is not known.
        #expect(try fires(rule, days([10, nil, 15, 20, 21], opening: first)) == [])
        #expect(try fires(rule, days([10, 20, 15, 20, 21], opening: first - 1)) == [])
        #expect(try fires(rule, days([10, 20, 15, 20, 21], opening: nil)) == [])
    }

    @Test("the screens rule fires if screens double or halve, from a minimum number of screens on")
    func screens() throws {
        let days = [400, 799, 400, 800, 400, 100, 49, 0].map { Day?.some(Day(screens: $0)) }
        #expect(
            try fires(ScreensRule(), days) == [
                "4 〈A〉 스크린수 400개→800개", "5 〈A〉 스크린수 800개→400개", "6 〈A〉 스크린수 400개→100개",
                "7 〈A〉 스크린수 100개→49개",
            ])
    }

    @Test("the severity follows from what an alert is about, whatever the movie's rank")
    func severity() throws {
        func passing(_ total: Int, line: Int) -> [Day?] { [Day(audience: total, total: total, line: line)] }
        #expect(try alerts(MilestoneRule(), passing(1_000_000, line: 9)).map(\.severity) == [.notable])
        #expect(try alerts(MilestoneRule(), passing(1_000_000, line: 1)).map(\.severity) == [.notable])
        #expect(try alerts(MilestoneRule(), passing(10_000_000, line: 9)).map(\.severity) == [.major])
        #expect(try alerts(MilestoneRule(), passing(15_000_000, line: 2)).map(\.severity) == [.major])
        let first = try #require(KoreanDate(year: 2024, month: 6, day: 1))
        let record = [10, 11].map { Day?.some(Day(audience: $0, line: 1, openDate: first)) }
        #expect(try alerts(BestRule(after: 1), record).map(\.severity) == [.notable])
        for (days, severity) in [(29, Alert.Severity.notable), (30, .major), (100, .major)] {
            #expect(StreakRule().severity(of: RuleMatch(values: ["streakDays": .integer(days)]), rank: 1) == severity)
        }
        for (tenths, severity) in [(199, Alert.Severity.info), (200, .notable), (-200, .notable)] {
            let match = RuleMatch(values: ["percent": .percent(Percent(tenths: tenths))])
            #expect(CorrectionRule().severity(of: match, rank: 1) == severity)
        }
    }

    @Test("the contract's rules come first, then the others in line order")
    func order() throws {
        let rules: [any MovieRule] = [
            OpeningRule(), EnteredRule(), LeftRule(), RoseRule(), FellRule(), LeadRule(), MilestoneRule(totals: [10]),
        ]
        let june = try #require(KoreanDate(year: 2024, month: 6, day: 4))
        var movies = [try ChartEntry.movie("N", line: 1, isNew: true), try ChartEntry.movie("B", line: 2, change: 4)]
        for index in movies.indices {
            (movies[index].audience, movies[index].audienceTotal, movies[index].openDate) = (20, 20, june)
        }
        let alerts = AlertRules(rules.map { ConfiguredRule($0) }).alerts(
            for: try .june(4, movies), before: try .june(3, [.movie("X", line: 1)]))
        #expect(
            alerts.map { "\($0.rule.rawValue) \($0.title ?? "")" } == [
                "entered N", "lead N", "rose B", "left X", "opening N", "milestone N", "opening B", "milestone B",
            ])
    }

    @Test("the sample of an anomaly shows the chart's own lines, and one more that it had before")
    func anomalySample() throws {
        let values = try AnomalyRule().sample(of: SourcedChart.june(4, [.movie("A", line: 1)]).chart).match.values
        #expect(values["reason"] == .text("일부 누락 2편→1편"))
        #expect(values["sentence"] == .text("the chart of 2024-06-04 has 1 line and had 2"))
    }

    @Test("an alert about an anomaly has no movie")
    func anomaly() throws {
        let june = try #require(KoreanDate(year: 2024, month: 6, day: 4))
        let anomaly = Anomaly(.late, of: june, in: .all, expected: 1, found: 0, text: "The chart is late.")
        let evidence = Alert.Evidence(stream: .anomaly, sequence: .zero)
        let rules = AlertRules([ConfiguredRule(AnomalyRule())])
        let alert = try #require(rules.alert(about: anomaly, evidence: evidence))
        #expect(alert.id == "anomaly.late.2024-06-04.all")
        #expect(alert.topic?.description == "alert.anomaly.late.2024-06-04")
        #expect(alert.text.ko == "2024-06-04 박스오피스 데이터 이상: 집계 지연")
        #expect(alert.text.en == "2024-06-04: The chart is late.")
        #expect(alert.movieCode == nil)
        #expect(alert.severity == .notable)
        #expect(AlertRules().alert(about: anomaly, evidence: evidence) == nil)
        let weekend = Week(of: june, span: .weekend)
        let week = try #require(
            rules.alert(about: .late(weekend.firstDay, week: weekend, in: .all, at: "12:00"), evidence: evidence))
        #expect(week.id == "anomaly.late.2024-06-07.all.weekend")
        #expect(week.text.ko == "2024-06-07 주말 박스오피스 데이터 이상: 집계 지연")
    }
}
