import FoundationEssentials
import OpenMarket
import Text

extension Arguments {
    /// Returns the product that the options describe.
    ///
    /// - Throws: `UsageError` if an option is missing or its value breaks a rule of the shop.
    func productDraft() throws(UsageError) -> ProductDraft {
        guard let name = value("--name") else { throw Self.missing("--name") }
        guard let description = value("--description") else { throw Self.missing("--description") }
        guard let price = try amount("--price") else { throw Self.missing("--price") }
        let (currency, discount, stock) = (
            try currency(), try amount("--discount"), try number("--stock", in: 0...Int.max)
        )
        do throws(ProductValidationError) {
            return try ProductDraft(
                name: name, description: description, currency: currency ?? .won, price: price,
                discount: discount ?? 0, stock: stock ?? 0)
        } catch {
            throw UsageError(error.text())
        }
    }

    /// Returns the change that the options describe.
    ///
    /// - Throws: `UsageError` if a value breaks a rule of the shop.
    func productChange() throws(UsageError) -> ProductChange {
        let (currency, price, discount) = (try currency(), try amount("--price"), try amount("--discount"))
        let (stock, thumbnail) = (try number("--stock", in: 0...Int.max), try number("--thumbnail", in: 1...Int.max))
        do throws(ProductValidationError) {
            return try ProductChange(
                name: value("--name"), description: value("--description"), thumbnail: thumbnail, currency: currency,
                price: price, discount: discount, stock: stock)
        } catch {
            throw UsageError(error.text())
        }
    }

    private static func missing(_ option: String) -> UsageError {
        UsageError("\(option) 옵션이 없습니다", "\(option) is missing")
    }

    private func currency() throws(UsageError) -> Currency? {
        try value("--currency", expected: Language.current("KRW, USD", "KRW or USD")) { Currency(rawValue: $0) }
    }

    /// Returns an amount of money: digits, and decimals after a point.
    private func amount(_ name: String) throws(UsageError) -> Decimal? {
        try value(name, expected: Language.current("15000, 9.99 같은 금액", "an amount such as 15000 or 9.99")) { text in
            let digits = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == 0x2E }
            return digits && text.utf8.count <= 30 ? Decimal(string: text) : nil
        }
    }
}
