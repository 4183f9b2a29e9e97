extension BinaryInteger {
    /// The number with a comma between thousands: `1,105,780`.
    public var grouped: String {
        var groups: [String] = []
        var rest = UInt64(magnitude)
        while rest >= 1000 {
            groups.append(String(String(1000 + rest % 1000).dropFirst()))
            rest /= 1000
        }
        return (self < 0 ? "-" : "") + ([String(rest)] + groups.reversed()).joined(separator: ",")
    }
}
