/// A sequence of events that is numbered on its own; the raw value is the first word of its topics.
public enum Stream: String, Hashable, Sendable, CaseIterable, Codable, CodingKeyRepresentable {
    /// Charts.
    case ranking
    /// Movies' facts.
    case movie
    /// Movies' posters.
    case poster
    /// Pages of the shop's products.
    case products
    /// Products of the shop.
    case product
    /// The lives of requests.
    case request
    /// Charts that are late, missing or hard to believe.
    case anomaly
    /// Alerts, at the notifier.
    case alert
}
