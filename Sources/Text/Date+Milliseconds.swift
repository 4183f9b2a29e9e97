public import FoundationEssentials

extension Date {
    /// The whole milliseconds since 1970-01-01 00:00 UTC, rounded towards it: never later than the date itself.
    public var millisecondsSince1970: Int { Int(timeIntervalSince1970 * 1000) }

    /// Makes the date that is this many milliseconds after 1970-01-01 00:00 UTC.
    public init(millisecondsSince1970 milliseconds: Int) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
