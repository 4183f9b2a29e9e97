import OpenMarket
import Text

/// The text of a page of the list of products.
struct ProductTable {
    let page: ProductPage
    var language = Language.current

    /// The title, the column heads and a line for each product.
    var lines: [String] {
        let title = "\(page.page)/\(page.lastPage) · \(language("\(page.total)개", "\(page.total) products"))"
        return [TerminalColor.bold.paint(title)]
            + page.products.table([
                .right(language("번호", "Number")) { "\($0.id)" },
                .left(language("상품", "Product")) { $0.name },
                .right(language("정가", "Price")) { $0.priceText },
                .right(language("판매가", "Discounted")) { product in
                    TerminalColor.red.paint(product.isDiscounted ? product.bargainText : "", if: !product.isSoldOut)
                },
                .left(language("재고", "Stock")) {
                    TerminalColor.dim.paint($0.stockText(in: language), if: $0.isSoldOut)
                },
                .left(language("판매자", "Vendor")) { $0.vendorText },
            ])
    }
}

/// The text of a product; unknown facts are omitted.
struct ProductText {
    let product: Product
    var language = Language.current

    /// The name and a line for each known fact.
    var lines: [String] {
        factTable(
            "\(product.name) (\(product.id))",
            [
                (
                    language("정가", "Price"),
                    [product.isDiscounted ? "\(product.priceText) → \(product.bargainText)" : product.priceText]
                ),
                (language("재고", "Stock"), [product.stockText(in: language)]),
                (language("판매자", "Vendor"), [product.vendorText]),
                (language("등록일", "Created"), [product.created.description]),
                (language("수정일", "Changed"), [product.issued == product.created ? nil : product.issued.description]),
                (
                    language("설명", "Description"),
                    [product.description?.split(whereSeparator: \.isNewline).joined(separator: " ")]
                ),
                (language("사진", "Image"), product.images?.map(\.url) ?? []),
            ])
    }

    static func lines(removed: RemovedProduct, in language: Language = .current) -> [String] {
        ["\(removed.product?.name ?? language("상품", "Product")) (\(removed.id)) \(language("삭제", "removed"))"]
    }
}

extension Product {
    fileprivate var priceText: String { "\(Price(price, currency))" }
    fileprivate var bargainText: String { "\(Price(bargainPrice, currency))" }
    fileprivate var vendorText: String { vendor.name ?? "\(vendor.id)" }

    fileprivate func stockText(in language: Language) -> String {
        isSoldOut ? language("품절", "sold out") : language("\(stock)개", "\(stock) left")
    }
}
