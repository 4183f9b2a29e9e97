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

    /// The most bytes of a request's topic or a command's name that are read; every known one is shorter.
    public static let maximumBytes = 64

    /// Reads a topic; a blank counts as a dot (`fetch day`).
    public init?(text: String) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        // As bytes, because a client decides how many of them are one character.
        let dotted = text.utf8.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: ".") : $0 }
        self.init(rawValue: String(decoding: dotted, as: UTF8.self))
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
