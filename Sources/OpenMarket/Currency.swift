/// What prices are counted in.
public enum Currency: String, Hashable, Sendable, Codable, CaseIterable {
    /// Won, sold in whole ones.
    case won = "KRW"
    /// United States dollars, with cents.
    case dollar = "USD"
}
