/// The first frame of a request: what a client may ask for.
public enum RequestTopic: String, Hashable, Sendable, CaseIterable {
    case fetchDay = "fetch.day"
    case fetchWeek = "fetch.week"
    case fetchMovie = "fetch.movie"
    case fetchProducts = "fetch.products"
    case fetchProduct = "fetch.product"

    /// Reads a topic; a blank reads as the dot (`fetch day`).
    public init?(text: some StringProtocol) {
        self.init(rawValue: String(text.map { $0 == " " ? "." : $0 }))
    }

    /// The field that a bare body, one that is no JSON object, stands for.
    var bareField: String {
        switch self {
        case .fetchDay, .fetchWeek: "date"
        case .fetchMovie: "code"
        case .fetchProducts: "page"
        case .fetchProduct: "id"
        }
    }
}
