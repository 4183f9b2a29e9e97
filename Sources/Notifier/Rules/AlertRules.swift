public import BoxOffice
public import Contract
import OpenMarket
import Text

/// The rules in force. Pure: whether an alert fired before is not checked here; a decision's id shows that.
public struct AlertRules: Sendable {
    /// The rules, in the order of the alerts about one movie or product: a new one is a type in `Rules/`, and a line here.
    static let kinds: [any Rule.Type] = [
        EnteredRule.self, LeftRule.self, RoseRule.self, FellRule.self, LeadRule.self, ReenteredRule.self,
        OpeningRule.self, StreakRule.self, MilestoneRule.self, BestRule.self, ScreensRule.self, CorrectionRule.self,
        AnomalyRule.self,
        PriceFellRule.self, PriceRoseRule.self, NewDiscountRule.self, SoldOutRule.self, BackInStockRule.self,
        NewProductRule.self, ProductRemovedRule.self,
    ]

    /// The contract's five rules, which are in force without a rule file.
    static let standard: [any MovieRule] = [EnteredRule(), LeftRule(), RoseRule(), FellRule(), LeadRule()]

    /// The words of the rules that are in force without a rule file.
    public static let standardNames = standard.map(\.name)

    /// The headings of all rules, by their words.
    public static let headings = Dictionary(uniqueKeysWithValues: kinds.map { ($0.name.rawValue, $0.heading) })

    private let movies: [AlertRule: ConfiguredRule]
    private let defaultRules: [ConfiguredRule]
    private let departureRules: [ConfiguredRule]
    /// The rules evaluated after those about departures.
    private let furtherRules: [ConfiguredRule]
    private let correctionRules: [ConfiguredRule]
    let products: [ConfiguredProductRule]

    /// The words of the rules in force.
    public let names: [AlertRule]
    /// The markets that any rule is about; always includes the whole market.
    public let markets: Set<Market>

    /// Makes the default rules.
    public init() {
        self.init(Self.standard.map { ConfiguredRule($0) })
    }

    /// Makes rules, each once, in the order of `kinds`.
    init(_ rules: [ConfiguredRule], products: [ConfiguredProductRule] = []) {
        movies = Dictionary(uniqueKeysWithValues: rules.map { ($0.name, $0) })
        let daily = rules.filter { $0.occasion == .day }
        defaultRules = daily.filter { Self.standardNames.contains($0.name) }
        departureRules = rules.filter { $0.occasion == .departure }
        furtherRules = daily.filter { !Self.standardNames.contains($0.name) }
        correctionRules = rules.filter { $0.occasion == .correction }
        self.products = products
        names = rules.map(\.name) + products.map(\.name)
        markets = rules.reduce(into: [.all]) { $0.formUnion($1.scope.markets) }
    }

    subscript(name: AlertRule) -> ConfiguredRule? { movies[name] }

    var hasProductRules: Bool { !products.isEmpty }

    /// The worker's streams that the rules need, in a fixed order.
    var streams: [Contract.Stream] {
        [.ranking, .anomaly] + (hasProductRules ? [.products, .product] : [])
    }
}

extension AlertRule: CaseIterable {
    /// The words of `AlertRules.kinds`.
    public static var allCases: [AlertRule] { AlertRules.kinds.map { $0.name } }
}

// MARK: - Evaluation

extension AlertRules {
    /// Returns the alerts that fire for a day: of the default rules, by lines and rules; then the movies that left, by
    /// their last lines; then of the other rules.
    func alerts(of day: KoreanDate, in state: MarketState) -> [Alert] {
        guard let chart = state.chart(of: day) else { return [] }
        let context = RuleContext(chart: chart, state: state)
        let departed = departureRules.isEmpty ? [] : context.departedEntries
        return context.alerts(by: defaultRules, about: context.entries, in: state.market)
            + context.alerts(by: departureRules, about: departed, in: state.market)
            + context.alerts(by: furtherRules, about: context.entries, in: state.market)
    }

    func corrections(by chart: SourcedChart, in state: MarketState) -> [Alert] {
        guard !correctionRules.isEmpty, chart.chart.corrections != nil, state.isOpen(chart.chart.date) else {
            return []
        }
        let context = RuleContext(chart: chart, state: state)
        return context.alerts(by: correctionRules, about: context.entries, in: state.market)
    }

    /// Returns the standing alerts of a chart's day and of later days that no longer hold. A chart that is known to lack
    /// movies refutes nothing.
    func refutedAlerts(after chart: SourcedChart, in state: MarketState) -> [Alert] {
        let day = chart.chart.date
        guard !state.lacksMovies(day) else { return [] }
        // The day before has to be open too: otherwise its chart is no longer known.
        let days = state.decided.keys.filter { date in
            date >= day && state.isOpen(date - 1) && ![date - 1, date].contains(where: state.lacksMovies)
        }
        return days.sorted().flatMap { date -> [Alert] in
            guard let standing = state.decided[date]?.standing, !standing.isEmpty,
                let known = state.chart(of: date)
            else { return [] }
            let context = RuleContext(chart: known, state: state)
            return standing.filter { !holds($0, in: context) }
        }
    }

    private func holds(_ alert: Alert, in context: RuleContext) -> Bool {
        // The alert of a rule that is no longer in force stands.
        guard let rule = movies[alert.rule] else { return true }
        let movies = rule.occasion == .departure ? context.departedEntries : context.entries
        return movies.contains {
            $0.movieCode == alert.movieCode && rule.rule.holds(alert, for: RuleInput(entry: $0, context: context))
        }
    }

    /// Returns the alert about an anomaly, if the rule is in force for its market and its movie, if it has one.
    func alert(about anomaly: Anomaly, evidence: Alert.Evidence) -> Alert? {
        guard let rule = self[AnomalyRule.name], rule.scope.includes(anomaly.movieCode, anomaly.title, anomaly.market)
        else { return nil }
        return rule.alert(
            RuleMatch(values: AnomalyRule.values(of: anomaly)), about: nil, title: anomaly.title, on: anomaly.date,
            in: anomaly.market, evidence: [evidence])
    }

    /// Returns the alerts about products, one product after the other, for each in the order of `kinds`.
    func alerts(about observations: [ProductObservation], on date: KoreanDate, evidence: Alert.Evidence) -> [Alert] {
        observations.flatMap { observation in
            products.compactMap { $0.alert(about: observation, on: date, evidence: evidence) }
        }
    }
}

extension RuleContext {
    fileprivate func alerts(by rules: [ConfiguredRule], about movies: [ChartEntry], in market: Market) -> [Alert] {
        movies.flatMap { movie in
            let input = RuleInput(entry: movie, context: self)
            return rules.compactMap { $0.alert(about: input, in: market) }
        }
    }
}

// MARK: - Configured rules

struct ConfiguredRule: Sendable {
    let rule: any MovieRule
    var scope: RuleScope
    /// The severity of its alerts; nil to derive it from what they are about.
    var severity: Alert.Severity?
    var texts: AlertTexts

    init(_ rule: any MovieRule, _ scope: RuleScope = RuleScope()) {
        self.rule = rule
        self.scope = scope
        texts = AlertTexts(of: type(of: rule))
    }

    var name: AlertRule { rule.name }
    var occasion: RuleOccasion { type(of: rule).occasion }

    /// Returns the alert about a movie's day, if the rule fires and is about the movie and the market.
    func alert(about input: RuleInput, in market: Market) -> Alert? {
        // The match comes first: most rules fire for few movies.
        guard let match = rule.match(for: input), scope.includes(input.entry.movieCode, input.entry.title, market)
        else { return nil }
        var evidence = [input.day.evidence]
        if match.usesPreviousDay, let previous = input.previousDay { evidence.append(previous.evidence) }
        let named = match.namedMovies.merging(["title": NamedMovie(input.entry)]) { $1 }
        return alert(
            match, about: input.entry, title: input.entry.title, on: input.day.chart.date, in: market,
            evidence: evidence, titles: named.mapValues(input.context.distinctTitle))
    }

    func alert(
        _ match: RuleMatch, about movie: ChartEntry?, title: String?, on date: KoreanDate, in market: Market,
        evidence: [Alert.Evidence], titles: [String: String] = [:]
    ) -> Alert {
        let rank = occasion == .departure ? nil : movie?.rank
        var alert = Alert(
            rule: name, date: date, market: market == .all ? nil : market, movieCode: movie?.movieCode, title: title,
            rank: rank, previousRank: match.previousRank, change: match.change,
            severity: severity ?? rule.severity(of: match, rank: rank), values: match.values,
            text: Alert.Text(ko: "", en: ""), evidence: evidence)
        alert.text = texts.text(of: alert, about: movie, titles: titles)
        return alert
    }
}

struct ConfiguredProductRule: Sendable {
    let rule: any ProductRule
    var filter = SubjectFilter<ProductID>()
    var severity = Alert.Severity.info
    var texts: AlertTexts

    init(_ rule: any ProductRule) {
        self.rule = rule
        texts = AlertTexts(of: type(of: rule))
    }

    var name: AlertRule { rule.name }

    func alert(about observation: ProductObservation, on date: KoreanDate, evidence: Alert.Evidence) -> Alert? {
        let title = (observation.current ?? observation.previous)?.name
        guard filter.includes(observation.id, title), let own = rule.match(for: observation) else { return nil }
        var alert = Alert(
            rule: name, date: date, market: nil, movieCode: nil, product: observation.id, title: title, rank: nil,
            previousRank: nil, change: nil, severity: severity,
            values: observation.values.merging(own) { _, own in own }, text: Alert.Text(ko: "", en: ""),
            evidence: [evidence])
        alert.text = texts.text(of: alert, about: nil)
        return alert
    }
}

extension Alert {
    func retracted(by chart: SourcedChart) -> Alert {
        var retraction = self
        retraction.retracts = id
        retraction.evidence = [chart.evidence]
        retraction.text = Text(ko: "[정정] 앞선 알림 취소: \(text.ko)", en: "Taken back after a correction: \(text.en)")
        return retraction
    }
}

// MARK: - Texts

struct AlertTexts: Hashable, Sendable {
    var ko: Template
    var en: Template

    init(of rule: any Rule.Type) {
        ko = Template(standard: rule.ko, in: .ko, names: rule.valueNames)
        en = Template(standard: rule.en, in: .en, names: rule.valueNames)
    }

    /// The names of the values that every alert about a movie has, and of the fields of its line.
    static let movieValues = common + lines.filter { !common.contains($0) }

    private static let common = [
        "title", "rank", "previousRank", "change", "ranks", "movement", "date", "market", "movieCode",
    ]
    private static let lines = ChartEntry.Field.allCases.map(\.rawValue).filter {
        !["line", "isNew", "rankChange"].contains($0)
    }

    /// Returns the texts of an alert; `entry` is the movie's line, if it is about a movie.
    func text(of alert: Alert, about entry: ChartEntry?, titles: [String: String] = [:]) -> Alert.Text {
        func value(_ name: String, _ language: Language) -> TemplateValue {
            if let title = titles[name] { return .text(title) }
            if let own = alert.values[name] {
                if case .amount(let amount) = own, case .text(let word) = alert.values["currency"],
                    let currency = Currency(rawValue: word)
                {
                    return .text(Price(amount, currency).text(in: language))
                }
                return own
            }
            switch name {
            case "title": return alert.title.map(TemplateValue.text) ?? .null
            case "rank": return alert.rank.map(TemplateValue.integer) ?? .null
            case "previousRank": return alert.previousRank.map(TemplateValue.integer) ?? .null
            case "change": return alert.change.map(TemplateValue.integer) ?? .null
            case "ranks": return alert.change.map { .integer(Int(clamping: $0.magnitude)) } ?? .null
            case "movement":
                guard let movement = entry?.movement, ![.new, .unchanged].contains(movement) else { return .null }
                return .text("\(movement)")
            case "date": return .text(alert.date.description)
            case "market": return .text((alert.market ?? .all).description)
            case "product": return alert.product.map { .text("\($0)") } ?? .null
            case "movieCode": return alert.movieCode.map { .text($0.description) } ?? .null
            default: return ChartEntry.Field(rawValue: name).flatMap { entry?[$0] }.map { TemplateValue($0) } ?? .null
            }
        }
        return Alert.Text(ko: ko.text { value($0, .ko) }, en: en.text { value($0, .en) })
    }
}

extension Price {
    /// Returns the price as a language writes it: `1,690,000원`, `USD 999.99`.
    fileprivate func text(in language: Language) -> String {
        guard language == .ko else { return description }
        let digits = description.dropFirst(currency.rawValue.count + 1)
        return digits + (currency == .won ? "원" : "달러")
    }
}
