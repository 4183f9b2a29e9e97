import OpenMarket

/// The text of a page of the list of products.
struct ProductTable {
    let page: ProductPage

    /// The title, the column heads and a line for each product.
    var lines: [String] {
        var table = TextTable([.right, .left, .right, .right, .left, .left])
        table.add(["번호", "상품", "가격", "할인가", "재고", "판매자"])
        for product in page.products {
            table.add(
                [
                    "\(product.id)", product.name, "\(Price(product.price, product.currency))",
                    product.isDiscounted ? "\(Price(product.bargainPrice, product.currency))" : "",
                    product.stockText, product.vendor.name ?? "\(product.vendor.id)",
                ],
                paint: product.isSoldOut
                    ? [4: TerminalColor.dim.paint] : product.isDiscounted ? [3: TerminalColor.red.paint] : [:])
        }
        let title = "\(page.page)/\(page.lastPage) · \(page.total)개"
        return [TerminalColor.bold.paint(title)] + table.lines
    }
}

/// The text of a product; unknown facts are omitted.
struct ProductView {
    let product: Product

    /// The name and a line for each known fact.
    var lines: [String] {
        let price = Price(product.price, product.currency)
        let bargain = Price(product.bargainPrice, product.currency)
        let facts: [(String, String?)] = [
            ("가격", product.isDiscounted ? "\(price) → \(bargain)" : "\(price)"),
            ("재고", product.stockText),
            ("판매자", product.vendor.name ?? "\(product.vendor.id)"),
            ("등록", product.created.description),
            ("변경", product.issued == product.created ? nil : product.issued.description),
            ("설명", product.description?.split(whereSeparator: \.isNewline).joined(separator: " ")),
        ]
        var table = TextTable([.left, .left])
        for case (let name, let value?) in facts { table.add([name, value], paint: [0: TerminalColor.dim.paint]) }
        for image in product.images ?? [] { table.add(["그림", image.url], paint: [0: TerminalColor.dim.paint]) }
        return [TerminalColor.bold.paint("\(product.name) (\(product.id))")] + table.lines
    }

    /// Returns the text of a removed product.
    static func lines(removed: RemovedProduct) -> [String] {
        ["\(removed.product?.name ?? "상품") (\(removed.id)) 삭제"]
    }
}

extension Product {
    /// The remaining stock, as the Open Market words it.
    fileprivate var stockText: String {
        isSoldOut ? "품절" : "잔여수량 : \(stock)"
    }
}
