/// A rule that raises an alert about a movie's day in the chart or about a product of the shop; the raw value is the
/// word on the wire.
public enum AlertRule: String, Hashable, Sendable, CaseIterable, Codable {
    /// The movie is new in the chart.
    case entered
    /// The movie was in the chart the day before and is no longer.
    case left
    /// The movie rose by several ranks.
    case rose
    /// The movie fell by several ranks.
    case fell
    /// The movie leads the chart, and another movie led it the day before.
    case lead
    /// The movie is back in the chart after days away.
    case reentered
    /// It is the movie's opening day.
    case opening
    /// The movie has led the chart for one of the configured numbers of days in a row.
    case streak
    /// The movie's total audience has passed one of the configured numbers.
    case milestone
    /// It is the movie's best day so far.
    case best
    /// The movie has several times the screens of the day before, or a fraction of them.
    case screens
    /// A large correction changed one of the movie's figures.
    case correction
    /// A chart is late, incomplete or implausible. The alert has no movie.
    case anomaly
    /// The price of a product fell.
    case priceFell
    /// The price of a product rose.
    case priceRose
    /// A product without a discount got one.
    case newDiscount
    /// A product is sold out.
    case soldOut
    /// A product that was sold out is in stock again.
    case backInStock
    /// The shop has a new product.
    case newProduct
    /// The shop no longer has a product.
    case productRemoved

    /// Whether the rule is about products of the shop; otherwise it is about charts.
    public var isAboutProducts: Bool {
        switch self {
        case .priceFell, .priceRose, .newDiscount, .soldOut, .backInStock, .newProduct, .productRemoved: true
        case .entered, .left, .rose, .fell, .lead, .reentered, .opening, .streak, .milestone, .best, .screens,
            .correction, .anomaly:
            false
        }
    }
}
