/// One figure of a chart that is no longer what it was a revision ago, or a film that came or went.
public struct Correction: Hashable, Sendable {
    /// What was corrected, with its old and new value.
    public enum Change: Hashable, Sendable {
        /// A field of a line.
        case field(ChartEntry.Field, before: ChartEntry.Value, after: ChartEntry.Value)
        /// A whole line that was not there before, or is not there any more; one of the two is nil.
        case entry(before: ChartEntry?, after: ChartEntry?)
    }

    /// The film.
    public let movieCode: MovieCode
    /// What was corrected.
    public let change: Change

    /// Makes a correction.
    public init(movieCode: MovieCode, change: Change) {
        self.movieCode = movieCode
        self.change = change
    }

    /// All differences, field by field in the new chart's line order, then the films that went in the old one's.
    public static func between(_ before: [ChartEntry], and after: [ChartEntry]) -> [Correction] {
        let old = Dictionary(before.map { ($0.movieCode, $0) }, uniquingKeysWith: { first, _ in first })
        var corrections: [Correction] = []
        for entry in after {
            guard let earlier = old[entry.movieCode] else {
                corrections.append(Correction(movieCode: entry.movieCode, change: .entry(before: nil, after: entry)))
                continue
            }
            for field in ChartEntry.Field.allCases where entry[field] != earlier[field] {
                let change = Change.field(field, before: earlier[field], after: entry[field])
                corrections.append(Correction(movieCode: entry.movieCode, change: change))
            }
        }
        let present = Set(after.map(\.movieCode))
        for entry in before where !present.contains(entry.movieCode) {
            corrections.append(Correction(movieCode: entry.movieCode, change: .entry(before: entry, after: nil)))
        }
        return corrections
    }
}

extension Correction: Codable {
    private enum Key: String, CodingKey {
        case movieCode
        case field
        case before
        case after
    }

    private static let wholeEntry = "entry"

    /// Reads a correction as the contract has it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        movieCode = try container.decode(MovieCode.self, forKey: .movieCode)
        let name = try container.decode(String.self, forKey: .field)
        if name == Self.wholeEntry {
            change = .entry(
                before: try container.decodeIfPresent(ChartEntry.self, forKey: .before),
                after: try container.decodeIfPresent(ChartEntry.self, forKey: .after))
        } else if let field = ChartEntry.Field(rawValue: name) {
            change = .field(
                field,
                before: try field.value(in: container, forKey: .before),
                after: try field.value(in: container, forKey: .after))
        } else {
            throw DecodingError.dataCorruptedError(
                forKey: .field, in: container, debugDescription: "\(name) is no field of a chart")
        }
    }

    /// Writes `movieCode`, `field`, `before` and `after`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(movieCode, forKey: .movieCode)
        switch change {
        case .field(let field, let before, let after):
            try container.encode(field.rawValue, forKey: .field)
            try container.encode(before, forKey: .before)
            try container.encode(after, forKey: .after)
        case .entry(let before, let after):
            try container.encode(Self.wholeEntry, forKey: .field)
            try container.encode(before, forKey: .before)
            try container.encode(after, forKey: .after)
        }
    }
}
