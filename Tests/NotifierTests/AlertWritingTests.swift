import BoxOffice
import Contract
import FoundationEssentials
import JSONCoding
import OpenMarket
import Testing

@testable import Notifier

@Suite struct AlertWritingTests {
    @Test("an alert writes the bytes that Foundation's encoder writes, whatever its title and figures hold")
    func bytes() throws {
        for title in ["파묘", "a/b", #"q"u\o"#, "tab\tnew\nline\r\u{8}\u{c}", "\u{1}\u{1f}\u{7f}\u{2028}", "🎬", ""] {
            var alert = try alert(title: title)
            try expectSame(alert)
            alert.text = Alert.Text(ko: "[정정] 앞선 알림 취소: \(title)", en: title)
            alert.values = [
                "sales": .integer(-11_463_580_547), "share": .percent(Percent(tenths: -75)), "title": .text(title),
                "price": .amount(Decimal(199_999) / 100), "Zone": .null, "a1": .integer(0), "a10": .integer(1),
                "a2": .percent(Percent(tenths: 980)),
            ]
            alert.retracts = alert.id
            alert.market = Market(nation: .korean, films: .diverse)
            alert.evidence = []
            try expectSame(alert)
        }
    }

    @Test("an alert without a movie and one about a product are written as Foundation's encoder writes them")
    func others() throws {
        var alert = try alert(title: "x")
        (alert.movieCode, alert.title, alert.rank, alert.previousRank, alert.change) = (nil, nil, nil, nil, nil)
        try expectSame(alert)
        alert.product = ProductID("2")
        try expectSame(alert)
    }

    @Test("all alerts of a year of recorded charts are written as Foundation's encoder writes them")
    func recorded() throws {
        let rules: [any MovieRule] = [EnteredRule(), LeftRule(), RoseRule(by: 1), FellRule(by: 1), LeadRule()]
        var state = AlertState(rules: AlertRules(rules.map { ConfiguredRule($0) }))
        let alerts = try RecordedCharts.of2024().flatMap { state.apply($0) }
        #expect(alerts.count > 1000)
        for alert in alerts { try expectSame(alert) }
    }

    private func alert(title: String) throws -> Alert {
        Alert(
            rule: "rose", date: .firstChart, market: nil, movieCode: MovieCode("2022B512"), title: title,
            rank: 2, previousRank: 5, change: 3, severity: .notable, values: [:], text: Alert.Text(ko: "하나", en: title),
            evidence: [
                Alert.Evidence(stream: .ranking, sequence: try #require(SequenceNumber(42))),
                Alert.Evidence(stream: .anomaly, sequence: .zero),
            ])
    }

    private func expectSame(_ alert: Alert) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let foundation = String(decoding: try encoder.encode(EncodableAlert(alert)), as: UTF8.self)
        #expect(String(decoding: alert.json, as: UTF8.self) == foundation)
    }
}
