public import JSONCoding

/// A change between two revisions of a chart: one field of an entry, or an entry that was added or removed.
public struct Correction: Hashable, Sendable {
    /// The change with its old and new value.
    public enum Change: Hashable, Sendable {
        /// A field of an entry.
        case field(ChartEntry.Field, before: ChartEntry.Value, after: ChartEntry.Value)
        /// An entry that was added (`before` is nil) or removed (`after` is nil).
        case entry(before: ChartEntry?, after: ChartEntry?)
    }

    /// The movie's code.
    public let movieCode: MovieCode
    /// The line of a changed field, if the movie is on several lines; else nil.
    public let line: Int?
    /// The change.
    public let change: Change

    private static let wholeEntry = "entry"

    /// Makes a correction.
    public init(movieCode: MovieCode, line: Int? = nil, change: Change) {
        self.movieCode = movieCode
        self.line = line
        self.change = change
    }

    /// Returns all differences: first field by field in the new chart's order, then the removed lines in the old one's.
    public static func between(_ before: [ChartEntry], and after: [ChartEntry]) -> [Correction] {
        var unmatched = before
        func take(where isMatch: (ChartEntry) -> Bool) -> ChartEntry? {
            unmatched.firstIndex(where: isMatch).map { unmatched.remove(at: $0) }
        }
        // The source may have a movie on several lines: one that kept its line is not compared with another line.
        var earlier = after.map { entry in take { $0.movieCode == entry.movieCode && $0.line == entry.line } }
        for (index, entry) in after.enumerated() where earlier[index] == nil {
            earlier[index] = take { $0.movieCode == entry.movieCode }
        }
        var corrections: [Correction] = []
        for (entry, earlier) in zip(after, earlier) {
            guard let earlier else {
                corrections.append(Correction(movieCode: entry.movieCode, change: .entry(before: nil, after: entry)))
                continue
            }
            let isAmbiguous = [before, after].contains { $0.count { $0.movieCode == entry.movieCode } > 1 }
            for field in ChartEntry.Field.allCases where entry[field] != earlier[field] {
                let change = Change.field(field, before: earlier[field], after: entry[field])
                corrections.append(
                    Correction(movieCode: entry.movieCode, line: isAmbiguous ? entry.line : nil, change: change))
            }
        }
        return corrections
            + unmatched.map { Correction(movieCode: $0.movieCode, change: .entry(before: $0, after: nil)) }
    }
}

extension [Correction] {
    /// Whether the new chart has fewer lines than the one that it corrects.
    public var haveLostLines: Bool {
        reduce(0) { lines, correction in
            guard case .entry(let before, _) = correction.change else { return lines }
            return before == nil ? lines + 1 : lines - 1
        } < 0
    }
}

// MARK: - JSON

extension Correction: JSONReadable, JSONWritable {
    /// Reads a correction as the contract has it.
    public init(json: JSONValue) throws(DecodingError) {
        movieCode = try json.value("movieCode").text()
        line = try json["line"]?.integer()
        let (before, after) = (try json["before"], try json["after"])
        let name = try json.value("field")
        if let field = ChartEntry.Field(rawValue: try name.text()) {
            change = .field(field, before: try field.value(before), after: try field.value(after))
        } else if try name.text() == Self.wholeEntry {
            change = .entry(
                before: try before.map { json throws(DecodingError) in try ChartEntry(json: json) },
                after: try after.map { json throws(DecodingError) in try ChartEntry(json: json) })
        } else {
            throw name.unreadable("\(try name.text()) is not a field of a chart")
        }
    }

    /// Writes `movieCode`, `field`, `before` and `after`.
    public func write(to json: inout JSONWriter) {
        func write(before: (some JSONWritable)?, after: (some JSONWritable)?, of field: String) {
            json.member("after", after, isFirst: true)
            json.member("before", before)
            json.member("field", field)
        }
        switch change {
        case .field(let field, let before, let after): write(before: before, after: after, of: field.rawValue)
        case .entry(let before, let after): write(before: before, after: after, of: Self.wholeEntry)
        }
        if let line { json.member("line", line) }
        json.member("movieCode", movieCode.description)
        json.endObject()
    }
}
