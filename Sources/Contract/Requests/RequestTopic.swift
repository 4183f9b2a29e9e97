/// The kind of a request; the raw value is the first frame.
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

    /// Reads a topic; a blank counts as a dot (`fetch day`).
    public init?(text: String) {
        let isExact = !text.utf8.contains(UInt8(ascii: " "))
        self.init(rawValue: isExact ? text : String(text.map { $0 == " " ? "." : $0 }))
    }

    /// The field that a bare body, which is not a JSON object, gives.
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

    /// Whether the request is about the shop; its body has `ProductFields` then.
    public var isAboutProducts: Bool {
        switch self {
        case .fetchDay, .fetchWeek, .fetchMovie: false
        case .fetchProducts, .fetchProduct, .fetchCatalogue, .productRegister, .productModify, .productRemove: true
        }
    }
}
