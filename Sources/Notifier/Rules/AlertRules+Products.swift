import BoxOffice
import Contract
import OpenMarket

extension AlertRules {
    /// A rule about products in force: which products it is about, and its texts.
    struct ProductEntry: Sendable {
        /// The rule.
        var rule: any ProductRule
        /// The products that it is about, by number.
        var products: Set<ProductID> = []
        /// The products that it is about, by parts of their names, as ``MovieFilter/key(_:)`` gives them.
        var names: [String] = []
        /// The severity of its alerts.
        var severity = Alert.Severity.info
        /// The texts of its alerts.
        var texts: AlertTexts

        /// Makes an entry for all products, with the rule's own texts.
        init(_ rule: any ProductRule) {
            self.rule = rule
            texts = AlertTexts(of: type(of: rule))
        }

        var name: AlertRule { type(of: rule).name }

        /// Whether the entry is about a product; with neither numbers nor names it is about all.
        private func includes(_ id: ProductID, name: String?) -> Bool {
            if products.isEmpty, names.isEmpty { return true }
            if products.contains(id) { return true }
            let key = name.map(MovieFilter.key) ?? ""
            return names.contains { key.contains($0) }
        }

        /// Returns the alert about a change, if the rule fires and is about the product.
        func alert(about observation: ProductObservation, on date: KoreanDate, evidence: Alert.Evidence) -> Alert? {
            let name = (observation.current ?? observation.previous)?.name
            guard includes(observation.id, name: name), let own = rule.match(for: observation) else { return nil }
            var alert = Alert(
                rule: self.name, date: date, market: nil, movieCode: nil, product: observation.id, title: name,
                rank: nil,
                previousRank: nil, change: nil, severity: severity,
                values: observation.values.merging(own) { _, own in own }, text: Alert.Text(ko: "", en: ""),
                evidence: [evidence])
            alert.text = texts.text(of: alert, about: nil)
            return alert
        }
    }

    /// Whether any rule is about products, so that their events must be read.
    var hasProductRules: Bool { !products.isEmpty }

    /// The worker's streams that the rules need, in a fixed order.
    var streams: [Contract.Stream] {
        [.ranking, .anomaly] + (hasProductRules ? [.products, .product] : [])
    }

    /// Returns the alerts about products, one product after the other, for each in the order of `AlertRule`.
    func alerts(about observations: [ProductObservation], on date: KoreanDate, evidence: Alert.Evidence) -> [Alert] {
        observations.flatMap { observation in
            products.compactMap { $0.alert(about: observation, on: date, evidence: evidence) }
        }
    }
}
