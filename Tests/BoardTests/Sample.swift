import BoxOffice
import Contract
import FoundationEssentials
import OpenMarket
import Testing

/// Values for tests.
enum Sample {
    static func date(_ text: String) throws -> KoreanDate { try #require(KoreanDate(text)) }

    /// A chart with a movie for each letter; its code is the letter eight times.
    static func chart(
        _ day: String, _ titles: String, market: Market = .all, audience: Int = 1_000
    ) throws -> Chart {
        let entries = try titles.enumerated().map { index, letter in
            var entry = ChartEntry(
                line: index + 1, rank: index + 1, rankChange: 0, isNew: false, movieCode: try code(letter),
                title: "\(letter)")
            entry.audience = audience - index
            return entry
        }
        return Chart(date: try date(day), market: market, state: .settled, entries: entries)
    }

    static func code(_ letter: Character) throws -> MovieCode {
        try #require(MovieCode(String(repeating: letter, count: 8)))
    }

    static func topic(_ chart: Chart) -> Topic { .ranking(day: chart.date, market: chart.market) }

    /// A product as in a page of the market, or, with `images`, as in its own event.
    static func product(
        _ number: Int, stock: Int = 3, images: [String]? = nil, issued: String = "2022-01-04T00:00:00"
    ) throws -> Product {
        let day = try #require(OpenMarketTime(issued))
        return Product(
            id: try #require(ProductID(number)), vendor: Product.Vendor(id: 3, name: nil), name: "팥빙수 \(number)",
            description: images == nil ? nil : "차갑고 아주 달콤합니다",
            thumbnailURL: "\(images?.first ?? "http://market")/thumb", currency: .won, price: 1_000, discount: 0,
            bargainPrice: 1_000, stock: stock, created: day, issued: day,
            images: images?.enumerated().map {
                Product.Image(id: $0 + 1, url: $1, thumbnailURL: "\($1)/thumb")
            })
    }

    static func page(_ products: [Product], page: Int = 1, lastPage: Int = 1) -> ProductPage {
        ProductPage(page: page, perPage: 20, total: products.count, lastPage: lastPage, products: products)
    }

    /// The fields of an alert that the board reads.
    struct Alert: Encodable, Sendable {
        var rule = "rose"
        var date = "2024-06-04"
        var movieCode: String? = "AAAAAAAA"
        var title: String? = "A"
        var retracts: String?
        var text = ["ko": "A 4위→1위 ▲3", "en": "A is up 3"]
    }
}
