import BoxOffice
import Contract
import EventStore
import Foundation
import JSONCoding
import Storage
import TestSupport
import Testing
import Text
import YAML

@testable import Notifier

/// A rule that the program does not have, made as CONTRIBUTING.md says: a screen has at least so many people.
private struct CrowdedRule: MovieRule {
    static let name: AlertRule = "crowded"
    static let heading = RuleHeading("상영관 혼잡", "Crowded screens", glyph: "!")
    static let settings = [RuleSetting("perScreen", \Self.perScreen)]
    static let ownValues = ["perScreen"]
    static let ko = "〈{title}〉 스크린당 {perScreen}명"
    static let en = "{title} has {perScreen:person/people} a screen"

    var perScreen = 100

    func match(for input: RuleInput) -> RuleMatch? {
        guard let audience = input.entry.audience, let screens = input.entry.screens, audience / screens >= perScreen
        else { return nil }
        return RuleMatch(values: ["perScreen": .integer(audience / screens)])
    }

    func severity(of match: RuleMatch, rank: Int?) -> Alert.Severity { .major }

    func sample(of chart: Chart) -> RuleSample {
        RuleSample(of: chart.first, ["perScreen": .integer(perScreen)])
    }
}

@Suite(.patience) struct NewRuleTests {
    private func read(_ text: String) throws -> RuleFile {
        try RuleFile.read(Array(text.utf8), file: "rules.yml", of: AlertRules.kinds + [CrowdedRule.self])
    }

    private func chart() throws -> SourcedChart {
        var movie = try ChartEntry.movie("A", line: 1)
        (movie.audience, movie.screens) = (1_000, 5)
        return try .june(4, [movie])
    }

    @Test("a rule that is in the list is read, fires, and shows its heading and its form in a test message")
    func newRule() async throws {
        let file = try read("rules: {crowded: {perScreen: 150, text: {en: '{perScreen}!'}}, lead: }")
        #expect(file.rules.names == ["lead", "crowded"])
        let alerts = file.rules.alerts(for: try chart(), before: nil)
        #expect(alerts.map(\.text) == [Alert.Text(ko: "〈A〉 스크린당 200명", en: "200!")])
        #expect(alerts.map(\.severity) == [.major])
        #expect(alerts.first?.topic?.description == "alert.crowded.AAAAAAAA.2024-06-04")

        let folder = try TemporaryFolder()
        let schema = Schema("test", version: 1, EventLog.tables)
        let database = try Database(path: folder.file("worker.db"), schema: schema)
        let day = try chart().chart
        try await database.write { connection in
            let draft = EventDraft(.ranking(day: day.date, market: .all), data: day.json)
            _ = try EventLog(source: "/marquee/worker", in: connection).append([draft], at: .now, in: connection)
        }
        await database.close()
        let log = LogDatabase(.file(folder.file("worker.db")), owner: "worker", schema: schema)
        let alert = try SampleAlert(of: "crowded", by: file, from: log).message(to: "desk", at: .now).alerts[0]
        #expect(alert.heading(in: .ko) == "테스트: 상영관 혼잡" && alert.heading(in: .en) == "Test: Crowded screens")
        #expect(alert.sentence(in: .ko) == "[테스트] 〈A〉 스크린당 150명" && alert.sentence(in: .en) == "[test] 150!")
    }

    @Test("errors about the keys of a new rule are like those of the others")
    func errors() throws {
        let error = #expect(throws: ConfigurationDiagnosticsError.self) {
            try read("rules: {crowdet: , crowded: {perScren: 1, perScreen: 0, text: {ko: '{screen}'}}}")
        }
        #expect(
            error?.diagnostics.map(\.description) == [
                "rules.yml:1:9: rules.crowdet: unknown key; did you mean crowded?",
                "rules.yml:1:30: rules.crowded.perScren: unknown key; did you mean perScreen?",
                "rules.yml:1:54: rules.crowded.perScreen: 0 is not between 1 and 1000000000",
                "rules.yml:1:68: rules.crowded.text.ko: {screen} is not a value of this rule; did you mean {screens}?",
            ])
    }
}
