import BoxOffice
import Contract
import Testing

@testable import Notifier

/// What a correction takes back.
@Suite struct RetractionTests {
    private func chart(_ day: Int, _ titles: String) throws -> SourcedChart {
        let entries = try titles.enumerated().map { index, title in
            try ChartEntry.movie(String(title), line: index + 1, isNew: title == "N")
        }
        return try .june(day, entries, number: day)
    }

    private func chart(_ day: Int, total: Int, audience: Int = 10, number: Int? = nil) throws -> SourcedChart {
        var movie = try ChartEntry.movie("A", line: 1)
        (movie.audience, movie.audienceTotal) = (audience, total)
        return try .june(day, [movie], number: number ?? day)
    }

    private func short(_ alerts: [Alert]) -> [String] {
        alerts.map { "\($0.retracts == nil ? "" : "not ")\($0.rule.rawValue) \($0.title ?? "") \($0.date.day)" }
    }

    @Test("a correction of the newest day retracts alerts that no longer hold and fires new ones")
    func newest() throws {
        var state = AlertState(rules: AlertRules())
        _ = state.apply(try chart(3, "AB"))
        #expect(short(state.apply(try chart(4, "BN"))) == ["lead B 4", "entered N 4", "left A 4"])
        let correction = state.apply(try chart(4, "AN"))
        #expect(short(correction) == ["not lead B 4", "not left A 4", "left B 4"])
        #expect(correction[0].id == "lead.BBBBBBBB.2024-06-04.all.retracted")
        #expect(correction[0].retracts == "lead.BBBBBBBB.2024-06-04.all")
        #expect(correction[0].topic?.description == "alert.lead.BBBBBBBB.2024-06-04")
        #expect(correction[0].text.ko.hasPrefix("[정정] 앞선 알림 취소: "))
        #expect(correction[0].evidence.map(\.sequence.value) == [4])
    }

    @Test("a correction of an older day retracts what it makes untrue and fires what it makes true, also of later days")
    func older() throws {
        var state = AlertState(rules: AlertRules())
        _ = state.apply(try chart(2, "AB"))
        #expect(short(state.apply(try chart(3, "BN"))) == ["lead B 3", "entered N 3", "left A 3"])
        #expect(short(state.apply(try chart(4, "AN"))) == ["lead A 4", "entered N 4", "left B 4"])
        #expect(
            short(state.apply(try chart(3, "AN"))) == [
                "not lead B 3", "not left A 3", "not lead A 4", "not left B 4", "left B 3",
            ])
    }

    @Test("a retracted alert neither fires again nor is retracted again")
    func restored() throws {
        var state = AlertState(rules: AlertRules())
        _ = state.apply(try chart(3, "AB"))
        _ = state.apply(try chart(4, "BA"))
        #expect(short(state.apply(try chart(4, "AB"))) == ["not lead B 4"])
        #expect(state.apply(try chart(4, "BA")) == [])
        #expect(state.apply(try chart(4, "AB")) == [])
    }

    @Test("a correction that changes nothing about an alert leaves it alone")
    func unchanged() throws {
        var state = AlertState(rules: AlertRules())
        _ = state.apply(try chart(3, "AB"))
        _ = state.apply(try chart(4, "BA"))
        #expect(state.apply(try chart(4, "BAC")) == [])
        #expect(state.apply(try chart(3, "ACB")) == [])
    }

    @Test("a correction that loses lines retracts nothing, until one comes that has them")
    func lostLines() throws {
        var state = AlertState(rules: AlertRules())
        _ = state.apply(try chart(3, "AB"))
        #expect(short(state.apply(try chart(4, "BN"))) == ["lead B 4", "entered N 4", "left A 4"])
        #expect(state.apply(try chart(4, "B")) == [])
        #expect(short(state.apply(try chart(4, "BA"))) == ["not entered N 4", "not left A 4"])
    }

    @Test("a baseline chart retracts nothing")
    func learnt() throws {
        var state = AlertState(rules: AlertRules())
        _ = state.apply(try chart(3, "AB"))
        _ = state.apply(try chart(4, "BA"))
        state.applyBaseline(try chart(4, "AB"))
        #expect(short(state.apply(try chart(5, "AB"))) == [])
    }

    @Test("a milestone fires once, even if a correction changes the day on which it was passed")
    func milestone() throws {
        var state = AlertState(rules: AlertRules([ConfiguredRule(MilestoneRule(totals: [100]))]))
        _ = state.apply(try chart(1, total: 90))
        #expect(short(state.apply(try chart(2, total: 101))) == ["milestone A 2"])
        // It was passed a day earlier: so what.
        #expect(state.apply(try chart(1, total: 100)) == [])
        #expect(state.apply(try chart(2, total: 110)) == [])
        #expect(state.apply(try chart(3, total: 120)) == [])
    }

    @Test("a milestone that a correction retracts fires on the next day that reaches it")
    func owed() throws {
        var state = AlertState(rules: AlertRules([ConfiguredRule(MilestoneRule(totals: [100]))]))
        _ = state.apply(try chart(1, total: 90))
        #expect(short(state.apply(try chart(2, total: 101))) == ["milestone A 2"])
        #expect(state.apply(try chart(3, total: 104)) == [])
        #expect(short(state.apply(try chart(2, total: 98))) == ["not milestone A 2", "milestone A 3"])
        #expect(state.apply(try chart(4, total: 110)) == [])
        #expect(state.apply(try chart(5, total: 120)) == [])
    }

    @Test("a streak is retracted when a correction breaks its run, even if the days left are a number that fires")
    func brokenRun() throws {
        var state = AlertState(rules: AlertRules([ConfiguredRule(StreakRule(days: [2, 4]))]))
        for (day, titles) in zip(1..., ["ZA", "AZ", "AZ", "AZ"]) { _ = state.apply(try chart(day, titles)) }
        #expect(short(state.apply(try chart(5, "AZ"))) == ["streak A 5"])
        #expect(short(state.apply(try chart(3, "ZA"))) == ["not streak A 3", "not streak A 5"])
    }

    @Test("a reentry is retracted when a correction shows that the movie was away for fewer or more days")
    func shorterAbsence() throws {
        var state = AlertState(rules: AlertRules([ConfiguredRule(ReenteredRule(after: 1))]))
        for (day, titles) in zip(1..., ["AB", "AC", "AD", "AE"]) { _ = state.apply(try chart(day, titles)) }
        #expect(short(state.apply(try chart(5, "AB"))) == ["reentered B 5"])
        #expect(state.apply(try chart(1, "BA")) == [])
        #expect(short(state.apply(try chart(3, "AB"))) == ["not reentered B 5", "reentered B 3"])
    }

    @Test("of the alerts of history, those of the last 35 days before the newest one are kept for corrections")
    func keptHistory() throws {
        let since = try chart(1, "AB").chart.date
        var state = AlertState(rules: AlertRules(), since: since)
        for day in 1...40 { state.applyBaseline(try chart(day, day % 2 == 0 ? "AB" : "BA")) }
        let decisions = state.decideHistory(of: state.historyDays[...])
        #expect(decisions.map { $0.alert.date - since + 1 } == Array(2...40))
        #expect(decisions.filter(\.isRetractable).map { $0.alert.date - since + 1 } == Array(5...40))
    }

    @Test("a correction of a movie's audience fires, also for older days, once for each")
    func correction() throws {
        var state = AlertState(rules: AlertRules([ConfiguredRule(CorrectionRule())]))
        let first = try chart(1, total: 50_000, audience: 50_000)
        _ = state.apply(first)
        _ = state.apply(try chart(2, total: 60_000))
        func corrected(to audience: Int, from earlier: Chart, revision: Int) throws -> SourcedChart {
            var next = try chart(1, total: audience, audience: audience, number: revision)
            next.chart = try #require(next.chart.revised(from: earlier))
            return next
        }
        let small = try corrected(to: 51_000, from: first.chart, revision: 3)
        #expect(state.apply(small) == [])
        let large = try corrected(to: 60_000, from: small.chart, revision: 4)
        let alerts = state.apply(large)
        #expect(alerts.map(\.text.ko) == ["〈A〉 2024-06-01 관객수 정정: 51,000명→60,000명(+17.6%)"])
        #expect(state.apply(try corrected(to: 40_000, from: large.chart, revision: 5)) == [])
    }

    @Test("for settled days, the state keeps only the movies' totals")
    func bounded() throws {
        let rules: [any MovieRule] = [BestRule(), StreakRule(days: [60])]
        var state = AlertState(rules: AlertRules(rules.map { ConfiguredRule($0) }))
        let first = try #require(KoreanDate(year: 2024, month: 6, day: 1))
        var texts: [String] = []
        for day in -1..<61 {
            let audience = [0: 99, 60: 100][day] ?? 10
            var chart = try chart(1, total: 1_000 + day, audience: audience)
            if day < 0 { chart.chart.entries = [try ChartEntry.movie("Z", line: 1)] }
            chart.chart.date = first + day
            for index in chart.chart.entries.indices { chart.chart.entries[index].openDate = first }
            texts += state.apply(chart).map(\.text.ko)
        }
        #expect(texts == ["〈A〉 60일 연속 1위", "〈A〉 개봉 후 일일 최다 관객 100명(종전 99명)"])
        #expect(state.markets[.all]?.days.count == MarketState.openDays + 1)
    }
}
