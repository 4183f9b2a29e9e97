import OpenMarket
import Text

/// The text of a page of the list of products.
struct ProductTable {
    let page: ProductPage
    var language = Language.current

    /// The title, the column heads and a line for each product.
    var lines: [String] {
        var table = TextTable([.right, .left, .right, .right, .left, .left])
        table.add([
            language("번호", "Number"), language("상품", "Product"), language("정가", "Price"),
            language("판매가", "Discounted"), language("재고", "Stock"), language("판매자", "Vendor"),
        ])
        for product in page.products {
            table.add(
                [
                    "\(product.id)", product.name, "\(Price(product.price, product.currency))",
                    product.isDiscounted ? "\(Price(product.bargainPrice, product.currency))" : "",
                    product.stockText(in: language), product.vendor.name ?? "\(product.vendor.id)",
                ],
                paint: product.isSoldOut
                    ? [4: TerminalColor.dim.paint] : product.isDiscounted ? [3: TerminalColor.red.paint] : [:])
        }
        let title = "\(page.page)/\(page.lastPage) · \(language("\(page.total)개", "\(page.total) products"))"
        return [TerminalColor.bold.paint(title)] + table.lines
    }
}

/// The text of a product; unknown facts are omitted.
struct ProductText {
    let product: Product
    var language = Language.current

    /// The name and a line for each known fact.
    var lines: [String] {
        let price = Price(product.price, product.currency)
        let bargain = Price(product.bargainPrice, product.currency)
        let facts: [(String, String?)] = [
            (language("정가", "Price"), product.isDiscounted ? "\(price) → \(bargain)" : "\(price)"),
            (language("재고", "Stock"), product.stockText(in: language)),
            (language("판매자", "Vendor"), product.vendor.name ?? "\(product.vendor.id)"),
            (language("등록일", "Created"), product.created.description),
            (language("수정일", "Changed"), product.issued == product.created ? nil : product.issued.description),
            (
                language("설명", "Description"),
                product.description?.split(whereSeparator: \.isNewline).joined(separator: " ")
            ),
        ]
        let images = (language("사진", "Image"), product.images?.map(\.url) ?? [])
        return TextTable.facts(
            "\(product.name) (\(product.id))", facts.map { ($0, $1.map { [$0] } ?? []) } + [images])
    }

    static func lines(removed: RemovedProduct, in language: Language = .current) -> [String] {
        ["\(removed.product?.name ?? language("상품", "Product")) (\(removed.id)) \(language("삭제", "removed"))"]
    }
}

extension Product {
    fileprivate func stockText(in language: Language) -> String {
        isSoldOut ? language("품절", "sold out") : language("\(stock)개", "\(stock) left")
    }
}
