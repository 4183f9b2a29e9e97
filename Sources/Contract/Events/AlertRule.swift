/// A rule by which a movie's day in the chart, or what the shop says of a product, is worth an alert; the raw value is its
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
    /// The movie leads the chart, and another did the day before.
    case lead
    /// The movie is back in the chart after days away.
    case reentered
    /// It is the movie's opening day.
    case opening
    /// The movie has led the chart for a number of days in a row that is worth telling.
    case streak
    /// The movie's admissions have passed a number that is worth telling.
    case milestone
    /// It is the movie's best day so far.
    case best
    /// The movie has several times the screens of the day before, or a fraction of them.
    case screens
    /// A figure of the movie's was corrected by much.
    case correction
    /// A chart is late, missing or hard to believe; about no movie.
    case anomaly
    /// A product costs less.
    case priceFell
    /// A product costs more.
    case priceRose
    /// A product has a discount, and had none.
    case newDiscount
    /// None is left of a product.
    case soldOut
    /// There are some of a product again.
    case backInStock
    /// A product came into the shop.
    case newProduct
    /// A product is no longer in the shop.
    case productRemoved

    /// Whether it is about products of the shop; else it is about charts.
    public var isAboutProducts: Bool {
        switch self {
        case .priceFell, .priceRose, .newDiscount, .soldOut, .backInStock, .newProduct, .productRemoved: true
        case .entered, .left, .rose, .fell, .lead, .reentered, .opening, .streak, .milestone, .best, .screens,
            .correction, .anomaly:
            false
        }
    }
}
