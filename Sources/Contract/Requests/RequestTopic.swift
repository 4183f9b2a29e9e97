/// The first frame of a request: what a client may ask for.
public enum RequestTopic: String, Hashable, Sendable, CaseIterable {
    case fetchDay = "fetch.day"
    case fetchWeek = "fetch.week"
    case fetchMovie = "fetch.movie"
    case fetchProducts = "fetch.products"
    case fetchProduct = "fetch.product"
    case fetchCatalogue = "fetch.catalogue"
    case productRegister = "product.register"
    case productModify = "product.modify"
    case productRemove = "product.remove"

    /// Reads a topic; a blank reads as the dot (`fetch day`).
    public init?(text: String) {
        let isExact = !text.utf8.contains(UInt8(ascii: " "))
        self.init(rawValue: isExact ? text : String(text.map { $0 == " " ? "." : $0 }))
    }

    /// The field that a bare body, one that is no JSON object, stands for.
    var bareField: String {
        switch self {
        case .fetchDay, .fetchWeek: "date"
        case .fetchMovie: "code"
        case .fetchProducts: "page"
        case .fetchProduct: "id"
        case .fetchCatalogue: "perPage"
        case .productRegister: "name"
        case .productModify, .productRemove: "product"
        }
    }

    /// Whether the request is about the shop, and its body has the fields of such requests.
    public var isAboutProducts: Bool {
        switch self {
        case .fetchDay, .fetchWeek, .fetchMovie: false
        case .fetchProducts, .fetchProduct, .fetchCatalogue, .productRegister, .productModify, .productRemove: true
        }
    }
}
