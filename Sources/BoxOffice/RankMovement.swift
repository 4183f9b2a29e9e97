/// How a film's rank moved against the chart before.
public enum RankMovement: Hashable, Sendable {
    /// The film is new in the ranking.
    case new
    /// The film rose by so many ranks.
    case rose(Int)
    /// The film fell by so many ranks.
    case fell(Int)
    /// The film kept its rank.
    case unchanged
}

extension RankMovement: CustomStringConvertible {
    /// The movement as Korean charts print it: `신작`, `▲3`, `▼1` or `-`.
    public var description: String {
        switch self {
        case .new: "신작"
        case .rose(let ranks): "▲\(ranks)"
        case .fell(let ranks): "▼\(ranks)"
        case .unchanged: "-"
        }
    }
}
