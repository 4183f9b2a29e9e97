import FoundationEssentials

@testable import OpenMarket

enum Sample {
    static func product(_ number: Int = 1, price: Decimal = 1_000, discount: Decimal = 0, stock: Int = 3) -> Product {
        guard let id = ProductID(number), let day = OpenMarketTime("2022-01-04T00:00:00.00") else {
            preconditionFailure("\(number) is no product")
        }
        return Product(
            id: id, vendor: Product.Vendor(id: 3, name: nil), name: "팥빙수", thumbnailURL: "https://market/1.png",
            currency: .won, price: price, discount: discount, bargainPrice: price - discount, stock: stock,
            created: day,
            issued: day)
    }
}
