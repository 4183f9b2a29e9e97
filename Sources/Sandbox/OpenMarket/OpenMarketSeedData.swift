import FoundationEssentials

/// What the sandbox's vendors have for sale before anybody registers anything.
enum OpenMarketSeedData {
    /// The vendors besides the one whose identifier clients have.
    static let neighbours = ["wongbing", "dacodaco", "safari123", "제인", "OmarketTeam"].enumerated().map {
        OpenMarketStore.Vendor(
            id: $0 + 2, name: $1, identifier: "00000000-0000-4000-8000-00000000000\($0 + 2)",
            secret: "neighbour-\($0 + 2)"
        )
    }

    static func product(
        _ id: Int, of vendors: [OpenMarketStore.Vendor], opened: Date, dice: SeededRandom,
        images: [OpenMarketStore.Image], removalSecret: String
    ) -> OpenMarketStore.Product {
        var dice = dice
        let isDollar = dice.chance(0.2)
        let price =
            isDollar ? Double(dice.integer(in: 199...99_999)) / 100 : Double(dice.integer(in: 10...2_000) * 1_000)
        let discount = dice.chance(0.4) ? (isDollar ? 1 : (price / 10_000).rounded(.down) * 1_000) : 0
        let day = opened.addingTimeInterval(-86_400 * Double(dice.integer(in: 1...200)))
        return OpenMarketStore.Product(
            id: id, vendor: dice.pick(vendors), name: "\(dice.pick(qualities)) \(dice.pick(things))",
            description: "\(dice.pick(praises)) 문의는 언제든지 환영합니다.", currency: isDollar ? "USD" : "KRW", price: price,
            discount: discount, stock: dice.chance(0.2) ? 0 : dice.integer(in: 1...500), created: day, issued: day,
            images: images, thumbnail: images[0].id, removalSecret: removalSecret)
    }

    private static let qualities = ["새", "따뜻한", "가벼운", "깨끗한", "한정판", "손으로 만든", "거의 새", "튼튼한"]
    private static let things = ["외투", "팥빙수", "무선 이어폰", "책상", "자전거", "기타", "찻잔", "우산", "목도리 🧣", "키보드"]
    private static let praises = ["상태가 아주 좋습니다.", "한 번도 쓰지 않았습니다.", "색이 참 곱습니다.", "선물로 좋습니다."]
}
