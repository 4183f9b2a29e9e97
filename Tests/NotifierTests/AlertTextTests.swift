import BoxOffice
import Contract
import Testing
import Text

@testable import Notifier

/// Every text that an alert can have, in both languages.
@Suite struct AlertTextTests {
    /// Titles that end in a vowel, a consonant, ㄹ, a digit, a Latin letter, a symbol and a bracket, with the object's particle.
    private static let titles = [
        ("파묘", "를"), ("듄", "을"), ("서울", "을"), ("범죄도시4", "를"), ("1987", "을"), ("Wonka", "를"), ("TIME", "을"),
        ("하이큐!!", "를"), ("100%", "를"), ("디즈니+", "를"), ("남과 여 (2016)", "를"), ("괴물 (2006)", "을"), ("すずめ", "을(를)"),
    ]

    /// What a value of this name can be.
    private static func values(_ name: String, _ title: String, _ language: Language) -> [TemplateValue] {
        switch name {
        case "title", "previousLeaderTitle": [.text(title)]
        case "date": [.text("2024-06-04")]
        case "movement": [.text("▲3"), .null]
        case "period": [.text("주말"), .null]
        case "reason": anomalies.map { .text($0.reason) }
        case "sentence": anomalies.map { .text($0.text) }
        case "price", "bargainPrice", "previousBargainPrice":
            [.text(language == .ko ? "1,690,000원" : "KRW 1690000")]
        case "percent": [.percent(Percent(tenths: 10)), .percent(Percent(tenths: -254)), .null]
        default: [.integer(1), .integer(10_000_000), .null]
        }
    }

    private static var anomalies: [Anomaly] {
        Anomaly.Kind.allCases.flatMap { kind in
            [nil, 10, 12_345].flatMap { expected in
                [0, 7].map { found in
                    Anomaly(kind, of: .firstChart, in: .all, expected: expected, found: found, text: "some text")
                }
            }
        }
    }

    private static func names(in parts: [Template.Part]) -> [String] {
        parts.flatMap { part -> [String] in
            switch part {
            case .text, .particle: []
            case .placeholder(let name, _): [name]
            case .choice(let choices): choices.flatMap(names)
            }
        }
    }

    /// Returns every sentence of a template about a title.
    private static func sentences(_ template: Template, _ title: String) -> Set<String> {
        let names = Set(Self.names(in: template.parts))
        return names.reduce(into: [template.text { values($0, title, template.language)[0] }]) { texts, varied in
            for value in values(varied, title, template.language) {
                texts.insert(
                    template.text { name in name == varied ? value : values(name, title, template.language)[0] })
            }
        }
    }

    @Test("no sentence of an alert has a word of the other language, whichever title it is about", arguments: titles)
    func languages(title: String, object: String) {
        for kind in AlertRules.kinds {
            let (rule, texts) = (kind.name, AlertTexts(of: kind))
            for sentence in Self.sentences(texts.ko, title) {
                let words = sentence.replacing(title, with: "")
                #expect(!words.contains(/[A-Za-z]/) && words.contains(/\p{Hangul}/), "\(rule): \(sentence)")
            }
            for sentence in Self.sentences(texts.en, title) {
                #expect(!sentence.replacing(title, with: "").contains(/\p{Hangul}/), "\(rule): \(sentence)")
            }
        }
        let lead = AlertTexts(of: LeadRule.self).ko
        #expect(Self.sentences(lead, title).allSatisfy { $0.contains("〈\(title)〉\(object) 제치고 1위") })
    }

    @Test("a heading has no word of the other language, whether of an alert, a test or a retraction")
    func headings() {
        for kind in AlertRules.kinds {
            for (sample, retracts) in [(nil, nil), (kind.heading, nil), (nil, "y")] {
                let data = Alert(Alert.Text(ko: "", en: ""), rule: kind.name, retracts: retracts)
                let alert = OutboundAlert(id: "x", body: [], data: data, sampleHeading: sample)
                #expect(alert.heading(in: .en).hasSuffix(kind.heading.text(in: .en)))
                #expect(!alert.heading(in: .ko).contains(/[A-Za-z]/), "\(alert.heading(in: .ko))")
                #expect(!alert.heading(in: .en).contains(/\p{Hangul}/), "\(alert.heading(in: .en))")
            }
        }
    }

    @Test("a movie that enters the chart is not called new, and one that leads again not the new No. 1")
    func entering() throws {
        let before = try SourcedChart.june(3, [.movie("B", line: 1), .movie("A", line: 2)])
        let day = try SourcedChart.june(4, [.movie("A", line: 1, isNew: true), .movie("B", line: 2)])
        let texts = AlertRules().alerts(for: day, before: before).map(\.text.ko)
        #expect(texts == ["〈A〉 1위로 신규 진입", "〈A〉, 〈B〉를 제치고 1위"])
    }

    @Test("a percentage is written with its sign and its decimal where the template asks for it")
    func signs() throws {
        let template = try Template("{percent:+}% {before:+}", in: .ko, names: ["percent", "before"])
        func text(_ tenths: Int, _ before: Int) -> String {
            template.text { $0 == "percent" ? .percent(Percent(tenths: tenths)) : .integer(before) }
        }
        #expect(text(10, 1_000) == "+1.0% +1,000")
        #expect(text(-7, -1) == "-0.7% -1" && text(0, 0) == "0.0% 0")
    }
}
