import BoxOffice
import Contract
import Testing
import Text
import YAML

@testable import Notifier

@Suite("The rule file")
struct RuleFileTests {
    private func read(_ text: String) throws -> RuleFile {
        try RuleFile.read(Array(text.utf8), file: "rules.yml")
    }

    private let movie = ChartEntry.movie

    @Test(
        "without a file or a rules section, the contract's five rules are enabled",
        arguments: ["", "movies: [\"AAAAAAAA\"]"])
    func standard(text: String) throws {
        #expect(try read(text).rules.names == ["entered", "left", "rose", "fell", "lead"])
        #expect(RuleFile.standard.rules.names == ["entered", "left", "rose", "fell", "lead"])
    }

    @Test("a rules section enables only the rules that it names")
    func words() throws {
        let rules = try read("rules: {milestone: , lead: true, left: false, rose: {by: 5}}").rules
        #expect(rules.names == ["rose", "lead", "milestone"])
    }

    @Test("a change below the threshold fires nothing")
    func thresholds() throws {
        let rules = try read("rules: {rose: {by: 2, inside: 3}, fell: {by: 2, inside: 3}}").rules
        let day = try SourcedChart.june(
            4,
            [
                .movie("A", line: 1, change: 1), .movie("B", line: 3, change: 2), .movie("C", line: 4, change: 9),
                .movie("D", line: 5, change: -2), .movie("E", line: 6, change: -2),
            ])
        #expect(rules.alerts(for: day, before: nil).map(\.title) == ["B", "D"])
    }

    @Test("movie codes and titles filter all rules or a single one")
    func watch() throws {
        let rules = try read(
            """
            titles: ["a k", xx]
            rules:
              entered:
              rose: {movies: [BBBBBBBB], by: 1}
            """
        ).rules
        var day = try SourcedChart.june(
            4, [.movie("A", line: 1, isNew: true), .movie("B", line: 2, change: 1), .movie("C", line: 3, isNew: true)])
        day.chart.entries[0].title = "A King"
        #expect(
            rules.alerts(for: day, before: nil).map(\.id) == [
                "entered.AAAAAAAA.2024-06-04.all", "rose.BBBBBBBB.2024-06-04.all",
            ])
    }

    @Test("a part of the market fires its own alerts, which name the market")
    func markets() throws {
        let rules = try read("rules: {entered: {markets: [all, nation-K]}, lead: }").rules
        let korean = Market(nation: .korean)
        #expect(rules.markets == [.all, korean])
        var state = AlertState(rules: rules)
        _ = state.apply(try .june(3, [.movie("A", line: 1)], market: korean))
        let alerts = state.apply(try .june(4, [.movie("N", line: 1, isNew: true)], market: korean))
        #expect(alerts.map(\.id) == ["entered.NNNNNNNN.2024-06-04.nation-K"])
        #expect(alerts.map(\.market) == [korean])
        #expect(state.apply(try .june(2, [.movie("N", line: 1, isNew: true)])).map(\.market) == [nil])
    }

    @Test("each rule has its own severity and texts")
    func words2() throws {
        let rules = try read(
            """
            rules:
              entered:
                severity: major
                text: {ko: "{title:이/가} 왔다"}
            """
        ).rules
        let alert = try #require(
            rules.alerts(for: try .june(4, [.movie("A", line: 9, isNew: true)]), before: nil).first)
        #expect(alert.severity == .major)
        #expect(alert.text == Alert.Text(ko: "A가 왔다", en: "A is new at No. 9"))
    }

    @Test("every error is reported, in the order of the file")
    func diagnostics() throws {
        let diagnostics = try #require(throws: ConfigurationDiagnosticsError.self) {
            try read(
                """
                movies: [1234]
                market: [all]
                rules:
                  rose:
                    by: three
                    treshold: 3
                  milestones:
                  streak: {days: []}
                  lead: {markets: [korea], severity: big}
                  entered: {text: {ko: "{titel}"}}
                  left: maybe
                  correction: {percent: 9223372036854775807}
                  milestone: {totals: [x, 0]}
                rules: {}
                """)
        }
        #expect(
            diagnostics.description == """
                rules.yml:1:10: movies[0]: '1234' is not a movie's code, such as 20234675
                rules.yml:2:1: market: unknown key; did you mean markets?
                rules.yml:5:9: rules.rose.by: 'three' is not a whole number
                rules.yml:6:5: rules.rose.treshold: unknown key; did you mean text?
                rules.yml:7:3: rules.milestones: unknown key; did you mean milestone?
                rules.yml:8:18: rules.streak.days: the list needs at least one number
                rules.yml:9:20: rules.lead.markets[0]: 'korea' is not a market, such as all or nation-K+area-0105001
                rules.yml:9:38: rules.lead.severity: 'big' is not one of info, notable, major
                rules.yml:10:24: rules.entered.text.ko: {titel} is not a value of this rule; did you mean {title}?
                rules.yml:11:9: rules.left: 'maybe' is not true or false
                rules.yml:12:25: rules.correction.percent: 9223372036854775807 is not between 1 and 1000000000
                rules.yml:13:24: rules.milestone.totals[0]: 'x' is not a whole number
                rules.yml:13:27: rules.milestone.totals[1]: 0 is not between 1 and 1000000000
                rules.yml:14:1: rules: duplicate key; it is already on line 3
                """)
    }

    @Test("the example is valid and enables every rule")
    func example() throws {
        let path = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        #expect(try RuleFile.read(path: "/\(path)/Examples/rules.yml").rules.names == AlertRule.allCases)
        #expect(throws: ConfigurationDiagnosticsError.self) { try RuleFile.read(path: "/\(path)/Examples") }
    }
}
