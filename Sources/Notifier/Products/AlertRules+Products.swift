import BoxOffice
import Contract
import OpenMarket

extension AlertRules {
    /// A rule about products that is in force, for which of them, and in what words.
    struct ProductEntry: Sendable {
        /// What it looks for.
        var rule: any ProductRule
        /// The products that it looks at, by their numbers.
        var products: Set<ProductID> = []
        /// The products that it looks at, by words of their names.
        var names: [String] = []
        /// How much its alerts matter.
        var severity = Alert.Severity.info
        /// Its sentences.
        var texts: AlertTexts

        /// Makes an entry for all products, in the rule's own words.
        init(_ rule: any ProductRule) {
            self.rule = rule
            texts = AlertTexts(of: type(of: rule))
        }

        var word: AlertRule { type(of: rule).word }

        /// Whether it looks at a product; where none is named, it looks at all.
        private func includes(_ id: ProductID, name: String?) -> Bool {
            if products.isEmpty, names.isEmpty { return true }
            if products.contains(id) { return true }
            let key = name.map(MovieFilter.key) ?? ""
            return names.contains { key.contains($0) }
        }

        /// The alert about a sight, if the rule fires and the product is one of those that are watched.
        func alert(about sight: ProductObservation, on date: KoreanDate, at place: Alert.Evidence) -> Alert? {
            let name = (sight.now ?? sight.before)?.name
            guard includes(sight.id, name: name), let own = rule.firing(for: sight) else { return nil }
            var alert = Alert(
                rule: word, date: date, market: nil, movieCode: nil, product: sight.id, title: name, rank: nil,
                previousRank: nil, change: nil, severity: severity,
                values: sight.figures.merging(own) { _, own in own }, text: Alert.Text(ko: "", en: ""),
                evidence: [place])
            alert.text = texts.text(of: alert, about: nil)
            return alert
        }
    }

    /// Whether any rule is about products, so that their events have to be read.
    var looksAtProducts: Bool { !products.isEmpty }

    /// The worker's streams that the rules need, in a fixed order.
    var streams: [Contract.Stream] {
        [.ranking, .anomaly] + (looksAtProducts ? [.products, .product] : [])
    }

    /// What is said of products, one after the other, for each in the order of `AlertRule`.
    func alerts(about sights: [ProductObservation], on date: KoreanDate, at place: Alert.Evidence) -> [Alert] {
        sights.flatMap { sight in products.compactMap { $0.alert(about: sight, on: date, at: place) } }
    }
}
