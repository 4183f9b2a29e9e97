import FoundationEssentials
public import OpenMarket

/// The fields of a request about the shop, without its secret, which is read and kept separately.
public struct ProductFields: Hashable, Sendable, Codable {
    var id: Name?
    var product: Int?
    var page: Int?
    var perPage: Int?
    var name: String?
    var description: String?
    var currency: String?
    var price: Decimal?
    var discountedPrice: Decimal?
    var stock: Int?
    var thumbnailId: Int?
    var refresh: Bool?
    var priority: String?

    /// The value of `id`: the request's id or, in a `fetch.product` without `product`, the product's number.
    enum Name: Hashable, Sendable {
        case text(String)
        case number(Int)
    }

    init() {}

    /// Reads a JSON object, or a bare value of the topic's required field.
    init(_ body: String, topic: RequestTopic) throws(ContractError) {
        guard let bare = RequestBody.bare(body) else {
            self = try RequestBody.fields(body, as: ProductFields.self)
            if topic == .fetchProduct, product == nil { try takeProductFromID() }
            return
        }
        guard !bare.isEmpty else { return }
        guard let number = Int(bare) else {
            throw ContractError(.badRequest, "\(topic.bareField) must be a number", field: topic.bareField)
        }
        switch topic {
        case .fetchProducts: page = number
        case .fetchCatalogue: perPage = number
        case .fetchProduct, .productModify, .productRemove: product = number
        case .productRegister: throw ContractError(.badRequest, "the body is not a JSON object", field: "body")
        case .fetchDay, .fetchWeek, .fetchMovie: break
        }
    }

    /// Moves `id` to `product`: in `fetch.product`, `id` is the product's number instead of the request's id.
    private mutating func takeProductFromID() throws(ContractError) {
        switch id {
        case nil: return
        case .number(let number): product = number
        case .text(let text): product = try RequestBody.known(text, "id", must: "be a product's number") { Int($0) }
        }
        id = nil
    }
}

extension ProductFields.Name: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {  // the error would only say that it is not a number
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        }
    }
}

// MARK: - Checks

extension ProductFields {
    func target(_ topic: RequestTopic) throws(ContractError) -> Request.Target {
        switch topic {
        case .fetchProducts:
            let page = try RequestBody.known(page, "page", must: "be 1 or more") { $0 > 0 ? $0 : nil } ?? 1
            return .products(.page(page, perPage: try perPage(standard: 20)))
        case .fetchCatalogue: return .products(.catalogue(perPage: try perPage(standard: 100)))
        case .fetchProduct: return .products(.product(try productID()))
        case .productRegister: return .productOrder(.register(try draft()))
        case .productModify: return .productOrder(.modify(try productID(), try change()))
        case .productRemove: return .productOrder(.remove(try productID()))
        case .fetchDay, .fetchWeek, .fetchMovie: preconditionFailure("\(topic.rawValue) is not about products")
        }
    }

    /// Returns the client's own id; nil if the request has none.
    func requestID() throws(ContractError) -> RequestID? {
        switch id {
        case nil: return nil
        case .text(let text): return try RequestID.checked(text)
        case .number: throw ContractError(.badRequest, "the body's id has the wrong type", field: "id")
        }
    }

    private func perPage(standard: Int) throws(ContractError) -> Int {
        try RequestBody.known(perPage, "perPage", must: "be 1 to 100") { ProductPage.perPage.contains($0) ? $0 : nil }
            ?? standard
    }

    private func productID() throws(ContractError) -> ProductID {
        try RequestBody.required(
            RequestBody.known(product, "product", must: "be a number from 1") { ProductID($0) }, "product")
    }

    private func draft() throws(ContractError) -> ProductDraft {
        let name = try RequestBody.required(name, "name")
        let description = try RequestBody.required(description, "description")
        let price = try RequestBody.required(price, "price")
        let currency = try knownCurrency() ?? .won
        do throws(ProductValidationError) {
            return try ProductDraft(
                name: name, description: description, currency: currency, price: price, discount: discountedPrice ?? 0,
                stock: stock ?? 0)
        } catch {
            throw ContractError(error)
        }
    }

    private func change() throws(ContractError) -> ProductChange {
        let currency = try knownCurrency()
        do throws(ProductValidationError) {
            return try ProductChange(
                name: name, description: description, thumbnail: thumbnailId, currency: currency, price: price,
                discount: discountedPrice, stock: stock)
        } catch {
            throw ContractError(error)
        }
    }

    private func knownCurrency() throws(ContractError) -> Currency? {
        try RequestBody.known(currency, "currency", must: "be KRW or USD", Currency.init)
    }
}

extension ProductFields {
    private init(_ common: FetchFields) {
        id = common.id.map { .text($0) }
        refresh = common.refresh
        priority = common.priority
    }

    init(_ question: ProductQuery, _ common: FetchFields) {
        self.init(common)
        switch question {
        case .page(let page, let perPage):
            self.page = page
            self.perPage = perPage
        case .catalogue(let perPage): self.perPage = perPage
        case .product(let id): product = id.number
        }
    }

    init(_ order: ProductOrder, _ common: FetchFields) {
        self.init(common)
        switch order {
        case .register(let draft):
            name = draft.name
            description = draft.description
            currency = draft.currency.rawValue
            price = draft.price
            discountedPrice = draft.discount
            stock = draft.stock
        case .modify(let id, let change):
            product = id.number
            name = change.name
            description = change.description
            currency = change.currency?.rawValue
            price = change.price
            discountedPrice = change.discount
            stock = change.stock
            thumbnailId = change.thumbnail
        case .remove(let id): product = id.number
        }
    }
}

extension ContractError {
    /// Makes the error for a client whose product breaks a rule.
    public init(_ fault: ProductValidationError) { self.init(.badRequest, fault.message, field: fault.field) }
}

/// A query to the shop.
public enum ProductQuery: Hashable, Sendable {
    case page(Int, perPage: Int)
    /// All pages of the product list, one after another.
    case catalogue(perPage: Int)
    case product(ProductID)
}

/// A change to the shop, which must be made only once.
public enum ProductOrder: Hashable, Sendable {
    /// Register a product, with the images that come with the request.
    case register(ProductDraft)
    case modify(ProductID, ProductChange)
    case remove(ProductID)
}
