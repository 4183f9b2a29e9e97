public import BoxOffice
public import OpenMarket
public import Text

/// The word of a rule on the wire and in rule files: a small letter, then up to 39 letters and digits. Readers take any word,
/// because rules may be added.
public struct AlertRule: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    /// The word.
    public let rawValue: String

    /// Makes a rule, or nil if the text has another form.
    public init?(rawValue: String) {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard rawValue.utf8.count <= 40, let first = rawValue.utf8.first, letters.contains(first),
            rawValue.utf8.allSatisfy({ letters.contains($0 | 0x20) || $0.decimalDigit != nil })
        else { return nil }
        self.rawValue = rawValue
    }

    /// The word.
    public var description: String { rawValue }

    /// Makes a rule of a word in the program, which must have the form.
    public init(stringLiteral word: String) {
        guard let rule = AlertRule(rawValue: word) else { preconditionFailure("\(word) is not a rule's word") }
        self = rule
    }
}

/// What an alert is about, as in its topic: a movie, a product or a kind of anomaly.
public struct AlertSubject: Hashable, Sendable, CustomStringConvertible {
    /// The code, the number or the word.
    public let description: String

    /// Names a movie.
    public init(_ movie: MovieCode) { description = movie.description }

    /// Names a product.
    public init(_ product: ProductID) { description = product.description }

    /// Names a kind of anomaly.
    public init(_ kind: Anomaly.Kind) { description = kind.rawValue }

    /// Reads a subject; nil for any other text.
    init?(_ text: Substring) {
        guard MovieCode(text) != nil || ProductID(text) != nil || Anomaly.Kind(rawValue: String(text)) != nil else {
            return nil
        }
        description = String(text)
    }
}

/// How people see a rule: its name in both languages, and a glyph, so that nothing is shown by colour alone.
public struct RuleHeading: Hashable, Sendable, Encodable {
    private let ko: String
    private let en: String
    private let glyph: String

    /// Makes a heading.
    public init(_ ko: String, _ en: String, glyph: String) {
        (self.ko, self.en, self.glyph) = (ko, en, glyph)
    }

    /// Returns the name in a language.
    public func text(in language: Language) -> String { language(ko, en) }
}
