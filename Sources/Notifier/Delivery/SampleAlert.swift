import BoxOffice
public import Contract
public import EventStore
import FoundationEssentials
import JSONCoding
import OpenMarket
import SQLite
public import Text

/// An alert that is made up of the newest chart or product in a worker's log, to show what a rule's messages look like.
///
/// The figures of the day are real; what the rule compares them with is made up. Its texts and its severity are those of
/// the rule file. The alert says that it is a test, and is not entered into any log.
public struct SampleAlert: Sendable {
    private let alert: Alert
    private let poster: String?

    /// Makes an alert of a rule, whether the rule is in force or not.
    ///
    /// - Throws: ``SampleAlertError`` if the log has nothing to make it of; otherwise the error of reading the log.
    public init(of rule: AlertRule, by file: RuleFile, from log: LogDatabase) throws {
        let rules = file.rules.names.contains(rule) ? file.rules : try Self.standardRules(with: rule)
        (alert, poster) = try log.read { events, connection in
            if rule.isAboutProducts {
                return (try Self.productAlert(of: rule, rules, events, connection, path: log.path), nil)
            }
            let alert = try Self.chartAlert(of: rule, rules, events, connection, path: log.path)
            return (alert, try alert.movieCode.flatMap { try Self.poster(of: $0, events, connection) })
        }
    }

    /// Returns the message to a sink with the alert; each second gives another key.
    func message(to sink: String, at now: Date) -> SinkMessage {
        var alert = alert
        alert.text = Alert.Text(ko: "[테스트] \(alert.text.ko)", en: "[test] \(alert.text.en)")
        let key = "test.\(sink).\(Int(now.timeIntervalSince1970))"
        var json = JSONWriter()
        json.member("data", alert, isFirst: true)
        json.member("datacontenttype", "application/json")
        json.member("id", key)
        json.member("source", "/marquee/notifier")
        json.member("specversion", "1.0")
        json.member("type", "marquee.test.v1")
        json.endObject()
        var outbound = OutboundAlert(id: key, body: json.bytes, alert)
        outbound.isTest = true
        outbound.poster = poster
        return SinkMessage(key: key, alerts: [outbound])
    }

    private static func standardRules(with rule: AlertRule) throws -> AlertRules {
        try RuleFile.read(Array("rules: {\(rule.rawValue): }".utf8), file: "").rules
    }

    /// Returns the movie's poster, as `CODE/VERSION`; nil if there is none.
    private static func poster(
        of code: MovieCode, _ log: EventLog, _ connection: Connection
    ) throws -> String? {
        try log.latest(.poster(code), in: connection)?.data(as: Poster.self).image?.version.map { "\(code)/\($0)" }
    }
}

// MARK: - Charts

extension SampleAlert {
    private static func chartAlert(
        of rule: AlertRule, _ rules: AlertRules, _ log: EventLog, _ connection: Connection, path: String
    ) throws -> Alert {
        let (chart, evidence) = try newestChart(log, connection, path: path)
        if rule == .anomaly {
            let anomaly = Anomaly.late(chart.date + 1, in: rules[.anomaly]?.markets.first ?? .all, at: "09:00")
            guard let alert = rules.alert(about: anomaly, evidence: evidence) else {
                throw SampleAlertError(
                    ko: "규칙 파일의 anomaly 조건에 맞는 예시가 없습니다",
                    en: "the rule file's filters of anomaly exclude every sample")
            }
            return alert
        }
        let entries = chart.entries.sorted { $0.line < $1.line }
        let isDown = rule == .fell || rule == .left
        guard let entry = rules[rule], let first = entries.first, let last = entries.last else {
            throw SampleAlertError(
                ko: "\(path)에 영화가 있는 박스오피스가 아직 없습니다", en: "the log \(path) has no chart with movies yet")
        }
        let movie = isDown ? last : first
        let match = match(of: entry.rule, movie, others: entries.filter { $0.movieCode != movie.movieCode }, chart.date)
        let rank = rule == .left ? nil : movie.rank
        var alert = Alert(
            rule: rule, date: chart.date, market: nil, movieCode: movie.movieCode, title: movie.title, rank: rank,
            previousRank: match.previousRank, change: match.change,
            severity: entry.severity ?? entry.rule.severity(of: match, rank: rank), values: match.values,
            text: Alert.Text(ko: "", en: ""), evidence: [evidence])
        alert.text = entry.texts.text(of: alert, about: movie)
        return alert
    }

    /// Returns the newest chart of the whole market with movies.
    private static func newestChart(
        _ log: EventLog, _ connection: Connection, path: String
    ) throws -> (Chart, Alert.Evidence) {
        var end: String?
        while let event = try log.last(prefix: "ranking.day.\(Market.all).", before: end, in: connection) {
            if let chart = try SourcedChart(event), !chart.chart.entries.isEmpty {
                return (chart.chart, chart.evidence)
            }
            end = event.topic.description
        }
        throw SampleAlertError(
            ko: "\(path)에 박스오피스가 아직 없습니다. `marquee request day yesterday`로 요청하세요",
            en: "the log \(path) has no chart yet; request one, such as `marquee request day yesterday`")
    }

    /// Returns what a rule would report of a movie's day if it fired, with what it compares the day with made up.
    private static func match(
        of rule: any Rule, _ movie: ChartEntry, others: [ChartEntry], _ date: KoreanDate
    ) -> RuleMatch {
        let (audience, rank) = (movie.audience ?? 10_000, movie.rank ?? movie.line)
        var match = RuleMatch(
            values: [
                "audience": .integer(audience), "audienceTotal": .integer(movie.audienceTotal ?? audience),
            ])
        switch rule {
        case let rule as RoseRule:
            match.change = rule.by
            match.previousRank = rank + rule.by
            match.values["threshold"] = .integer(rule.by)
        case let rule as FellRule:
            match.change = -rule.by
            match.previousRank = max(1, rank - rule.by)
            match.values["threshold"] = .integer(rule.by)
        case is LeftRule:
            match.previousRank = rank
        case is LeadRule:
            match.change = 1
            match.previousRank = rank + 1
            match.values["previousLeader"] = .text((others.first ?? movie).movieCode.description)
            match.values["previousLeaderTitle"] = .text((others.first ?? movie).title)
            match.values["reignDays"] = .null
        case let rule as ReenteredRule:
            match.values["daysAway"] = .integer(rule.after)
            match.values["lastDay"] = .text((date - rule.after - 1).description)
        case let rule as StreakRule:
            let days = rule.days.first ?? 1
            match.values["streakDays"] = .integer(days)
            match.values["firstDay"] = .text((date - (days - 1)).description)
        case let rule as MilestoneRule:
            let total = movie.audienceTotal ?? 0
            let milestone = rule.totals.last { $0 <= total } ?? rule.totals[0]
            match.values["milestone"] = .integer(milestone)
            match.values["audienceTotal"] = .integer(max(milestone, total))
        case is BestRule:
            match.values["previousBest"] = .integer(audience - audience / 10)
            match.values["previousBestDay"] = .text((date - 7).description)
        case let rule as ScreensRule:
            let screens = max(movie.screens ?? 0, rule.from)
            match.values["screens"] = .integer(screens)
            match.values["previousScreens"] = .integer(max(1, screens / rule.factor))
        case let rule as CorrectionRule:
            let before = max(1, audience - audience * rule.percent / 100)
            match.values["before"] = .integer(before)
            match.values["percent"] = .percent(Percent(tenths: (audience - before) * 1_000 / before))
        default: break
        }
        return match
    }
}

// MARK: - Products

extension SampleAlert {
    private static func productAlert(
        of rule: AlertRule, _ rules: AlertRules, _ log: EventLog, _ connection: Connection, path: String
    ) throws -> Alert {
        guard let event = try log.last(prefix: "products.", in: connection),
            let product = try event.data(as: ProductPage.self).products.first
        else {
            throw SampleAlertError(
                ko: "\(path)에 상품이 아직 없습니다. `marquee product list`로 조회하세요",
                en: "the log \(path) has no product of the shop yet; request them with `marquee product list`")
        }
        guard var entry = rules.products.first(where: { $0.name == rule }) else {
            throw SampleAlertError(
                ko: "\(rule.rawValue) 규칙은 상품 규칙이 아닙니다", en: "\(rule.rawValue) is no rule about products")
        }
        // Whichever product it is: the sample shows the form.
        (entry.products, entry.names) = ([], [])
        let now = ProductState(product)
        let observation = ProductObservation(
            id: product.id, current: rule == .productRemoved ? nil : state(now, after: rule),
            previous: rule == .newProduct ? nil : state(now, before: rule), isNew: rule == .newProduct)
        guard
            let alert = entry.alert(
                about: observation, on: KoreanDate(at: try Event(topic: event.topic, body: event.body).time),
                evidence: Alert.Evidence(stream: event.stream, sequence: event.sequence))
        else {
            throw SampleAlertError(
                ko: "상품 \(product.id)번으로는 \(rule.rawValue) 예시를 만들 수 없습니다",
                en: "the product \(product.id) makes no sample of \(rule.rawValue)")
        }
        return alert
    }

    private static func state(_ now: ProductState, after rule: AlertRule) -> ProductState {
        switch rule {
        case .soldOut: now.with(stock: 0)
        case .backInStock: now.with(stock: max(1, now.stock))
        case .newDiscount where now.discount <= 0:
            now.with(discount: now.price / 10, bargainPrice: now.price - now.price / 10)
        default: now
        }
    }

    private static func state(_ now: ProductState, before rule: AlertRule) -> ProductState {
        switch rule {
        case .soldOut: now.with(stock: max(1, now.stock))
        case .backInStock: now.with(stock: 0)
        case .newDiscount: now.with(discount: 0, bargainPrice: now.price)
        case .priceFell: now.with(bargainPrice: now.bargainPrice * 2)
        case .priceRose: now.with(bargainPrice: now.bargainPrice / 2)
        default: now
        }
    }
}

extension ProductState {
    fileprivate func with(
        discount: Decimal? = nil, bargainPrice: Decimal? = nil, stock: Int? = nil
    ) -> ProductState {
        ProductState(
            name: name, currency: currency, price: price, discount: discount ?? self.discount,
            bargainPrice: bargainPrice ?? self.bargainPrice, stock: stock ?? self.stock)
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
