import FoundationEssentials
public import OpenMarket

extension ProductFields {
    /// What a request with this topic wants.
    func target(_ topic: RequestTopic) throws(ContractError) -> Request.Target {
        switch topic {
        case .fetchProducts:
            let page = page ?? 1
            guard page > 0 else { throw ContractError(.badRequest, "page is 1 or more", field: "page") }
            return .products(.page(page, perPage: try perPage(standard: 20)))
        case .fetchCatalogue: return .products(.catalogue(perPage: try perPage(standard: 100)))
        case .fetchProduct: return .products(.product(try productID()))
        case .productRegister: return .productOrder(.register(try draft()))
        case .productModify: return .productOrder(.modify(try productID(), try change()))
        case .productRemove: return .productOrder(.remove(try productID()))
        case .fetchDay, .fetchWeek, .fetchMovie: preconditionFailure("\(topic.rawValue) is not about products")
        }
    }

    /// The client's own id, if it gave one.
    func requestID() throws(ContractError) -> RequestID? {
        switch id {
        case nil: return nil
        case .text(let text): return try RequestID(checking: text)
        case .number: throw ContractError(.badRequest, "the body's id has the wrong type", field: "id")
        }
    }

    private func perPage(standard: Int) throws(ContractError) -> Int {
        let count = perPage ?? standard
        guard ProductPage.perPage.contains(count) else {
            throw ContractError(.badRequest, "perPage is 1 to 100", field: "perPage")
        }
        return count
    }

    private func productID() throws(ContractError) -> ProductID {
        guard let product else { throw ContractError(.badRequest, "product is needed", field: "product") }
        guard let id = ProductID(product) else {
            throw ContractError(.badRequest, "product is a number from 1", field: "product")
        }
        return id
    }

    private func draft() throws(ContractError) -> ProductDraft {
        guard let name else { throw ContractError(.badRequest, "name is needed", field: "name") }
        guard let description else { throw ContractError(.badRequest, "description is needed", field: "description") }
        guard let price else { throw ContractError(.badRequest, "price is needed", field: "price") }
        let currency = try knownCurrency() ?? .won
        do throws(ProductValidationError) {
            return try ProductDraft(
                name: name, description: description, currency: currency, price: price, discount: discount ?? 0,
                stock: stock ?? 0)
        } catch {
            throw ContractError(error)
        }
    }

    private func change() throws(ContractError) -> ProductChange {
        let currency = try knownCurrency()
        do throws(ProductValidationError) {
            return try ProductChange(
                name: name, description: description, thumbnail: thumbnail, currency: currency, price: price,
                discount: discount, stock: stock)
        } catch {
            throw ContractError(error)
        }
    }

    private func knownCurrency() throws(ContractError) -> Currency? {
        guard let currency else { return nil }
        guard let known = Currency(rawValue: currency) else {
            throw ContractError(.badRequest, "currency is KRW or USD", field: "currency")
        }
        return known
    }
}

extension ProductFields {
    /// Fields that ask for the same.
    init(_ question: ProductQuery) {
        switch question {
        case .page(let page, let perPage):
            self.page = page
            self.perPage = perPage
        case .catalogue(let perPage): self.perPage = perPage
        case .product(let id): product = id.number
        }
    }

    /// Fields that order the same.
    init(_ order: ProductOrder) {
        switch order {
        case .register(let draft):
            name = draft.name
            description = draft.description
            currency = draft.currency.rawValue
            price = draft.price
            discount = draft.discount
            stock = draft.stock
        case .modify(let id, let change):
            product = id.number
            name = change.name
            description = change.description
            currency = change.currency?.rawValue
            price = change.price
            discount = change.discount
            stock = change.stock
            thumbnail = change.thumbnail
        case .remove(let id): product = id.number
        }
    }
}

extension ContractError {
    /// What a client is told of a product that breaks a rule.
    public init(_ fault: ProductValidationError) {
        self.init(.badRequest, fault.message, field: fault.field)
    }
}
