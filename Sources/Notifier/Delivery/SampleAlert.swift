import BoxOffice
public import Contract
public import EventStore
import FoundationEssentials
import JSONCoding
import OpenMarket
import Storage
public import Text

/// An alert that is made up of the newest chart or product in a worker's log, to show what a rule's messages look like. The
/// figures of the day are real; what the rule compares them with is made up. It is not entered into any log.
public struct SampleAlert: Sendable {
    private let alert: Alert
    private let heading: RuleHeading
    private let poster: String?

    /// Makes an alert of a rule, whether the rule is in force or not.
    public init(of rule: AlertRule, by file: RuleFile, from log: LogDatabase) throws {
        let isInForce = file.rules.names.contains(rule)
        let rules = try isInForce ? file.rules : RuleFile.read(Array("rules: {\(rule): }".utf8), file: "").rules
        (alert, heading, poster) = try log.read { events, connection in
            if let rule = rules.products.first(where: { $0.name == rule }) {
                return (try Self.alert(of: rule, events, connection, path: log.name), type(of: rule.rule).heading, nil)
            }
            guard let rule = rules[rule] else { preconditionFailure("\(rule) is in force") }
            let alert = try Self.alert(of: rule, events, connection, path: log.name)
            // As `CODE/VERSION`.
            let poster = try alert.movieCode.flatMap { code in
                try events.latest(.poster(code), in: connection)?.data(as: Poster.self).image?.version
                    .map { "\(code)/\($0)" }
            }
            return (alert, type(of: rule.rule).heading, poster)
        }
    }

    func message(to sink: String, at now: Date) -> SinkMessage {
        var alert = alert
        alert.text = Alert.Text(ko: "[테스트] \(alert.text.ko)", en: "[test] \(alert.text.en)")
        return SinkMessage(testing: alert, heading: heading, poster: poster, to: sink, at: now)
    }

    private static func alert(
        of rule: ConfiguredRule, _ log: EventLog, _ connection: Connection, path: String
    ) throws -> Alert {
        var end: String?
        while let event = try log.last(prefix: "ranking.day.\(Market.all).", before: end, in: connection) {
            if let newest = try SourcedChart(event), !newest.chart.entries.isEmpty {
                let sample = rule.rule.sample(of: newest.chart)
                return rule.alert(
                    sample.match, about: sample.movie, title: sample.movie?.title, on: newest.chart.date, in: .all,
                    evidence: [newest.evidence])
            }
            end = event.topic.description
        }
        throw SampleAlertError(
            ko: "\(path)에 박스오피스가 아직 없습니다. `marquee request day yesterday`로 요청하세요",
            en: "the log \(path) has no chart yet; request one, such as `marquee request day yesterday`")
    }

    private static func alert(
        of rule: ConfiguredProductRule, _ log: EventLog, _ connection: Connection, path: String
    ) throws -> Alert {
        guard let event = try log.last(prefix: "products.", in: connection),
            let product = try event.data(as: ProductPage.self).products.first
        else {
            throw SampleAlertError(
                ko: "\(path)에 상품이 아직 없습니다. `marquee product list`로 조회하세요",
                en: "the log \(path) has no product of the shop yet; request them with `marquee product list`")
        }
        var rule = rule
        // Whichever product it is: the sample shows the form.
        rule.filter = SubjectFilter()
        let sample = rule.rule.sample(of: ProductState(product))
        let observation = ProductObservation(
            id: product.id, current: sample.after, previous: sample.before, isNew: sample.before == nil)
        guard
            let alert = rule.alert(
                about: observation, on: KoreanDate(at: try Event(topic: event.topic, body: event.body).time),
                evidence: Alert.Evidence(stream: event.stream, sequence: event.sequence))
        else {
            throw SampleAlertError(
                ko: "상품 \(product.id)번으로는 \(rule.name) 예시를 만들 수 없습니다",
                en: "the product \(product.id) makes no sample of \(rule.name)")
        }
        return alert
    }
}

/// No alert of a rule can be made up.
public struct SampleAlertError: BilingualError {
    /// The reason, and what to do.
    public let text: BilingualText

    init(ko: String, en: String) {
        text = BilingualText(ko, en)
    }
}
