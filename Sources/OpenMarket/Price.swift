public import FoundationEssentials

/// An exact amount of money with its currency.
public struct Price: Hashable, Sendable, CustomStringConvertible {
    /// The amount, with the decimals that were sent.
    public var amount: Decimal
    /// The amount's currency.
    public var currency: Currency

    /// Creates a price.
    public init(_ amount: Decimal, _ currency: Currency) {
        self.amount = amount
        self.currency = currency
    }

    /// The currency and the amount with separators: `KRW 1,690,000`, `USD 999.99`.
    public var description: String {
        let digits = "\(amount)"
        let sign = digits.hasPrefix("-") ? "-" : ""
        let parts = digits.dropFirst(sign.count).split(separator: ".", maxSplits: 1)
        var whole = ""
        for (index, digit) in (parts.first ?? "0").enumerated() {
            if index > 0, ((parts.first?.count ?? 0) - index).isMultiple(of: 3) { whole += "," }
            whole.append(digit)
        }
        return "\(currency.rawValue) \(sign)\(whole)" + (parts.count > 1 ? ".\(parts[1])" : "")
    }
}

/// The currency of a price.
public enum Currency: String, Hashable, Sendable, Codable, CaseIterable {
    /// South Korean won, which has no decimals.
    case won = "KRW"
    /// United States dollars, with cents.
    case dollar = "USD"
}
