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

extension Stream {
    /// Feeds the place among all streams: as of a raw value, the word would be fed.
    public func hash(into hasher: inout Hasher) {
        let number: UInt8 =
            switch self {
            case .ranking: 0
            case .movie: 1
            case .poster: 2
            case .products: 3
            case .product: 4
            case .request: 5
            case .anomaly: 6
            case .alert: 7
            }
        hasher.combine(number)
    }
}
