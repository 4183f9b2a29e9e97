import BoxOffice
import Contract
import Testing

@testable import Notifier

@Suite struct AlertStateTests {
    private func chart(_ day: Int, _ titles: String, market: Market = .all) throws -> SourcedChart {
        let entries = try titles.enumerated().map { index, title in
            try ChartEntry.movie(String(title), line: index + 1, isNew: title == "N")
        }
        return try .june(day, entries, market: market)
    }

    private func ids(_ alerts: [Alert]) -> [String] {
        alerts.map { "\($0.rule.rawValue) \($0.title ?? "") \($0.date.day)" }
    }

    @Test("each newer day is compared only with the previous calendar day")
    func newer() throws {
        var state = AlertState(rules: AlertRules())
        #expect(ids(state.apply(try chart(1, "AB"))) == [])
        #expect(ids(state.apply(try chart(2, "BA"))) == ["lead B 2"])
        #expect(ids(state.apply(try chart(4, "CN"))) == ["entered N 4"])
        #expect(state.newestDay?.day == 4)
    }

    @Test("a late day fires what it makes true of the newest eight days: its own alerts, then those of the day after")
    func older() throws {
        var state = AlertState(rules: AlertRules())
        _ = state.apply(try chart(9, "AN"))
        #expect(ids(state.apply(try chart(8, "NB"))) == ["entered N 8", "lead A 9", "left B 9"])
        #expect(ids(state.apply(try chart(2, "NZ"))) == ["entered N 2"])
        #expect(ids(state.apply(try chart(1, "NX"))) == ["left X 2"])
        #expect(ids(state.apply(try chart(3, "XN"))) == ["lead X 3", "entered N 3", "left Z 3"])
        #expect(state.apply(try chart(9, "AN")) == [])
    }

    @Test("a chart that no live request brought fires nothing, and retracts what a revision makes untrue")
    func backfilled() throws {
        var state = AlertState(rules: AlertRules())
        #expect(state.apply(try chart(3, "AB"), isLive: false) == [])
        #expect(ids(state.apply(try chart(4, "BA"))) == ["lead B 4"])
        #expect(state.apply(try chart(2, "BN"), isLive: false) == [])
        #expect(state.apply(try chart(4, "AB"), isLive: false).map(\.retracts) == ["lead.BBBBBBBB.2024-06-04.all"])
    }

    @Test("a revision of the newest day fires new alerts and repeats none")
    func revision() throws {
        var state = AlertState(rules: AlertRules())
        _ = state.apply(try chart(3, "AB"))
        let first = state.apply(try chart(4, "AN"))
        let second = state.apply(try chart(4, "NA"))
        #expect(ids(first) == ["entered N 4", "left B 4"])
        #expect(ids(second) == ["lead N 4"])
    }

    @Test("charts of a part of the market are ignored by default")
    func markets() throws {
        var state = AlertState(rules: AlertRules())
        let korean = Market(nation: .korean)
        _ = state.apply(try chart(3, "AB"))
        #expect(state.apply(try chart(5, "N", market: korean)) == [])
        #expect(state.apply(try chart(3, "ZB", market: korean)) == [])
        #expect(ids(state.apply(try chart(4, "BA"))) == ["lead B 4"])
    }

    @Test("a chart that lacks movies says nothing of those that are not in it, until one comes that has them")
    func lackingMovies() throws {
        let rules: [any MovieRule] = [LeftRule(), ReenteredRule(after: 1)]
        var state = AlertState(rules: AlertRules(rules.map { ConfiguredRule($0) }))
        _ = state.apply(try chart(3, "ABC"))
        #expect(ids(state.apply(try chart(4, "AB"))) == [])
        #expect(ids(state.apply(try chart(5, "ABC"))) == [])
        #expect(ids(state.apply(try chart(4, "ABD"))) == ["left C 4", "left D 5", "reentered C 5"])
    }

    @Test("a part of the market may have fewer movies than the day before, but not than its revision before")
    func lackingMoviesOfAPart() throws {
        let korean = Market(nation: .korean)
        var state = AlertState(rules: AlertRules([ConfiguredRule(LeftRule(), RuleScope(markets: [korean]))]))
        _ = state.apply(try chart(3, "ABC", market: korean))
        let known = try chart(4, "AB", market: korean)
        #expect(ids(state.apply(known)) == ["left C 4"])
        var corrected = try chart(4, "A", market: korean)
        corrected.chart = try #require(corrected.chart.revised(from: known.chart))
        #expect(ids(state.apply(corrected)) == [])
    }

    @Test("history is decided day by day, in whatever order its charts came")
    func history() throws {
        let since = try #require(KoreanDate(year: 2024, month: 6, day: 3))
        var state = AlertState(rules: AlertRules(), since: since)
        for known in [try chart(5, "AN"), try chart(2, "NX"), try chart(4, "BN"), try chart(3, "AN")] {
            state.applyBaseline(known)
        }
        #expect(
            ids(state.decideHistory()) == [
                "lead A 3", "entered N 3", "left X 3", "lead B 4", "entered N 4", "left A 4", "lead A 5",
                "entered N 5", "left B 5",
            ])
        #expect(state.decideHistory() == [])
    }

    @Test("charts applied as baseline after a restart lead to the same decisions")
    func restart() throws {
        var before = AlertState(rules: AlertRules())
        var after = AlertState(rules: AlertRules())
        for known in [try chart(3, "AB"), try chart(4, "BA")] {
            _ = before.apply(known)
            after.applyBaseline(known)
        }
        let next = try chart(5, "AN")
        #expect(before.apply(next) == after.apply(next))
    }
}
