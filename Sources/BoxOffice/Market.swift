public import JSONCoding

/// The part of the Korean market that a chart is about: all of it, or what passes some filters.
///
/// Ranks, shares and changes of a filtered chart are relative to its market and never comparable with another's.
public struct Market: Hashable, Sendable {
    /// Where films come from; the raw value is the word in requests and topics.
    public enum Nation: String, Hashable, Sendable, CaseIterable {
        /// Korean films.
        case korean = "K"
        /// Foreign films.
        case foreign = "F"
    }

    /// What kind of films; the raw value is the word in requests and topics.
    public enum Films: String, Hashable, Sendable, CaseIterable {
        /// Films that are recognized as art-house ("diversity") films.
        case diverse
        /// All others.
        case commercial
    }

    /// An area of Korea by the council's seven-digit code (`0105001` is Seoul).
    public struct Area: Hashable, Sendable, CustomStringConvertible {
        /// The seven digits.
        public let description: String

        /// Makes an area's code, or nothing if the text is not one.
        public init?(_ text: some StringProtocol) {
            guard text.utf8.count == 7, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
                return nil
            }
            description = String(text)
        }
    }

    /// Only films from here, or from everywhere.
    public var nation: Nation?
    /// Only films of this kind, or of any.
    public var films: Films?
    /// Only cinemas in this area, or in the whole country.
    public var area: Area?

    /// The whole market.
    public static let all = Market()
    fileprivate static let word = "all"

    /// Makes a market; what is left out is not filtered.
    public init(nation: Nation? = nil, films: Films? = nil, area: Area? = nil) {
        self.nation = nation
        self.films = films
        self.area = area
    }
}

extension Market: CustomStringConvertible {
    /// The market as it stands in topics: `all`, or filters such as `nation-K+films-diverse+area-0105001`.
    public var description: String {
        if nation == nil, films == nil, area == nil { return Self.word }
        let filters = [
            nation.map { "nation-\($0.rawValue)" }, films.map { "films-\($0.rawValue)" }, area.map { "area-\($0)" },
        ].compactMap(\.self)
        return filters.joined(separator: "+")
    }

    /// Reads the form that `description` writes, and no other.
    public init?(_ text: some StringProtocol) {
        self.init()
        if text.utf8.elementsEqual(Self.word.utf8) { return }  // as nearly always
        for filter in text.split(separator: "+") {
            let word = filter.prefix { $0 != "-" }
            let value = filter.dropFirst(word.count + 1)
            switch word {
            case "nation": nation = Nation(rawValue: String(value))
            case "films": films = Films(rawValue: String(value))
            case "area": area = Area(value)
            default: break
            }
        }
        // Byte by byte, because text compares by canonical equivalence: U+212A, the sign of kelvin, would pass for a K.
        guard description.utf8.elementsEqual(text.utf8) else { return nil }
    }
}

extension Market: StringRepresentable {
    /// What it is called where a text is none.
    public static let noun = "market"
}
