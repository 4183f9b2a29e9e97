public import BoxOffice
public import FoundationEssentials
public import JSONCoding
import Text

/// A sentence with placeholders for an alert's values.
///
/// - `{name}` is a value, with commas between thousands.
/// - `{name:words}` is a number in words of the language (천만, 10 million).
/// - `{name:+}` is a number or a percentage with its sign; a percentage also keeps its decimal (+1.0).
/// - `{name:이/가}` appends the particle that fits the value's last sound; `{이/가}` alone appends it to the text before,
///   ignoring quotes, and brackets with what is in them.
/// - `{name:place/places}` appends the singular or the plural.
/// - A part in square brackets is written only if all its values are known: `[, 관객 {audience}명]`. Of `[one|other]`,
///   the first such alternative is written.
/// - A backslash escapes a bracket.
struct Template: Hashable, Sendable {
    enum Form: Hashable, Sendable {
        case plain
        case words
        case signed
        case particle(KoreanParticle)
        case counted(one: String, many: String)
    }

    indirect enum Part: Hashable, Sendable {
        case text(String)
        case placeholder(String, Form)
        case particle(KoreanParticle)
        case choice([[Part]])
    }

    let language: Language
    let parts: [Part]

    /// Returns the sentence. Outside of brackets, an unknown value is written as nothing.
    func text(_ value: (String) -> TemplateValue) -> String {
        var text = ""
        for part in parts { write(part, value, &text) }
        return text
    }

    @discardableResult
    private func write(_ part: Part, _ value: (String) -> TemplateValue, _ text: inout String) -> Bool {
        switch part {
        case .text(let words):
            text += words
        case .particle(let particle):
            text += particle.following(text)
        case .placeholder(let name, let form):
            guard let shown = show(value(name), form) else { return false }
            text += shown
        case .choice(let choices):
            for choice in choices {
                var attempt = text
                if write(choice, value, &attempt) {
                    text = attempt
                    break
                }
            }
        }
        return true
    }

    /// Appends parts up to the first with an unknown value; returns whether all values are known.
    private func write(_ parts: [Part], _ value: (String) -> TemplateValue, _ text: inout String) -> Bool {
        for part in parts {
            guard write(part, value, &text) else { return false }
        }
        return true
    }

    private func show(_ value: TemplateValue, _ form: Form) -> String? {
        let plain: String
        switch value {
        case .null: return nil
        case .integer(let number): plain = form == .words ? LocalizedNumber.words(number, in: language) : number.grouped
        case .percent(let percent): plain = form == .signed ? percent.withDecimal : "\(percent)"
        case .amount(let amount): plain = "\(amount)"
        case .text(let words): plain = words
        }
        switch form {
        case .plain, .words: return plain
        case .signed: return value.isPositive ? "+\(plain)" : plain
        case .particle(let particle): return plain + particle.following(plain)
        case .counted(let one, let many): return "\(plain) \(value == .integer(1) ? one : many)"
        }
    }
}

extension Template {
    init(_ text: String, in language: Language, names: [String]) throws(TemplateError) {
        var reader = TemplateReader(rest: Substring(text), names: names)
        parts = try reader.parts(until: [])
        self.language = language
    }

    /// Reads a rule's standard text, which must be valid.
    init(standard text: String, in language: Language, names: [String]) {
        do throws(TemplateError) {
            try self.init(text, in: language, names: names)
        } catch {
            preconditionFailure("\(text): \(error)")
        }
    }
}

struct TemplateError: BilingualError, Hashable {
    let text: BilingualText

    init(_ ko: String, _ en: String) {
        text = BilingualText(ko, en)
    }
}

/// Reads the notation of templates, from left to right.
private struct TemplateReader {
    var rest: Substring
    let names: [String]

    /// Reads parts up to one of the `ends`, which is not consumed, or up to the end of the text.
    mutating func parts(until ends: Set<Character>) throws(TemplateError) -> [Template.Part] {
        var parts: [Template.Part] = []
        var text = ""
        func closed() -> [Template.Part] { text.isEmpty ? parts : parts + [.text(text)] }
        while let next = rest.first {
            if ends.contains(next) { return closed() }
            rest.removeFirst()
            switch next {
            case "\\":
                guard let literal = rest.popFirst() else {
                    throw TemplateError(
                        "텍스트가 역슬래시로 끝납니다. 역슬래시를 표시하려면 \\\\처럼 두 번 쓰세요",
                        "the text ends with a backslash; write \\\\ for the sign itself")
                }
                text.append(literal)
            case "{":
                parts = closed() + [try placeholder()]
                text = ""
            case "[":
                parts = closed() + [try choice()]
                text = ""
            case "}", "]":
                throw TemplateError(
                    "'\(next)' 앞에 여는 괄호가 없습니다. 괄호를 그대로 표시하려면 \\\(next)처럼 쓰세요",
                    "'\(next)' has no opening bracket; write \\\(next) for the sign itself")
            default:
                text.append(next)
            }
        }
        guard ends.isEmpty else {
            throw TemplateError("'[' 뒤에 닫는 괄호가 없습니다. ']'로 닫으세요", "'[' has no closing ']'")
        }
        return closed()
    }

    private mutating func choice() throws(TemplateError) -> Template.Part {
        var choices: [[Template.Part]] = []
        repeat {
            choices.append(try parts(until: ["|", "]"]))
        } while rest.removeFirst() == "|"
        return .choice(choices)
    }

    private mutating func placeholder() throws(TemplateError) -> Template.Part {
        guard let end = rest.firstIndex(of: "}") else {
            throw TemplateError("'{' 뒤에 닫는 괄호가 없습니다. '}'로 닫으세요", "'{' has no closing '}'")
        }
        let words = rest[..<end].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        rest = rest[end...].dropFirst()
        let name = words[0]
        if words.count == 1, let particle = KoreanParticle(notation: name) { return .particle(particle) }
        guard names.contains(name) else {
            let nearest = names.nearest(to: name)
            throw TemplateError(
                "{\(name)}: 이 규칙에 없는 값입니다" + (nearest.map { ". 혹시 {\($0)}인가요?" } ?? ""),
                "{\(name)} is not a value of this rule" + (nearest.map { "; did you mean {\($0)}?" } ?? ""))
        }
        return .placeholder(name, words.count == 1 ? .plain : try form(words[1]))
    }

    private func form(_ word: String) throws(TemplateError) -> Template.Form {
        if word == "words" { return .words }
        if word == "+" { return .signed }
        if let particle = KoreanParticle(notation: word) { return .particle(particle) }
        let forms = word.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard forms.count == 2, forms.allSatisfy({ $0.wholeMatch(of: /[A-Za-z]+/) != nil }) else {
            let particles = KoreanParticle.notations.joined(separator: ", ")
            throw TemplateError(
                "':\(word)' 대신 words, +, 영어의 단수/복수, 조사(\(particles)) 중 하나를 쓰세요",
                "':\(word)' must be words, +, singular/plural or one of \(particles)")
        }
        return .counted(one: forms[0], many: forms[1])
    }
}

// MARK: - Values

/// A value that a rule adds to its alert. JSON does not keep its kind: the percentage 98 is read back as the integer 98.
public enum TemplateValue: Hashable, Sendable {
    case null
    /// A count, or an amount in won.
    case integer(Int)
    case percent(Percent)
    /// An amount of money in the alert's `currency`.
    case amount(Decimal)
    /// A title, a code or a day.
    case text(String)

    /// Makes a value of a field of a chart's line.
    init(_ value: ChartEntry.Value) {
        self =
            switch value {
            case .null: .null
            case .flag(let flag): .text("\(flag)")
            case .integer(let integer): .integer(integer)
            case .percent(let percent): .percent(percent)
            case .text(let text): .text(text)
            }
    }
}

extension TemplateValue {
    var isPositive: Bool {
        switch self {
        case .integer(let integer): integer > 0
        case .percent(let percent): percent.tenths > 0
        case .amount(let amount): amount > 0
        case .null, .text: false
        }
    }
}

extension TemplateValue: Decodable {
    /// Reads a bare value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let text = try? container.decode(String.self) {  // else it is a number
            self = .text(text)
        } else if let integer = try? container.decode(Int.self) {  // else it has a decimal
            self = .integer(integer)
        } else if let percent = try? container.decode(Percent.self) {  // else it has several decimals
            self = .percent(percent)
        } else {
            self = .amount(try container.decode(Decimal.self))
        }
    }
}

extension TemplateValue: JSONWritable {
    /// Writes the bare value.
    public func write(to json: inout JSONWriter) {
        switch self {
        case .null: json.appendJSON("null")
        case .integer(let integer): json.appendNumber(integer)
        case .percent(let percent): percent.write(to: &json)
        case .amount(let amount): json.appendJSON("\(amount)")
        case .text(let text): json.appendText(text)
        }
    }
}

// MARK: - Numbers

enum LocalizedNumber {
    /// Returns a number in the units of a language: `1,023만 4,567` and `천만`, `10,234,567` and `10 million`.
    static func words(_ number: Int, in language: Language) -> String {
        switch language {
        case .ko: korean(number)
        case .en: english(number)
        }
    }

    /// Writes groups of four digits, with 만 and 억. A round 천만 is written as such, which is how Koreans say it.
    private static func korean(_ number: Int) -> String {
        let sign = number < 0 ? "-" : ""
        let magnitude = number.magnitude
        if magnitude > 0, magnitude < 100_000_000, magnitude % 10_000_000 == 0 {
            let tens = magnitude / 10_000_000
            return sign + (tens == 1 ? "" : "\(tens)") + "천만"
        }
        var rest = magnitude
        var parts: [String] = []
        for (unit, size) in [("조", 1_000_000_000_000), ("억", 100_000_000), ("만", 10_000)] as [(String, UInt)] {
            let count = rest / size
            rest %= size
            if count > 0 { parts.append(count.grouped + unit) }
        }
        if rest > 0 || parts.isEmpty { parts.append(rest.grouped) }
        return sign + parts.joined(separator: " ")
    }

    /// Writes millions and billions where at most one decimal is exact, otherwise all digits.
    private static func english(_ number: Int) -> String {
        for (unit, size) in [("billion", 1_000_000_000), ("million", 1_000_000)]
        where number.magnitude >= size && number.magnitude % (size.magnitude / 10) == 0 {
            let (whole, rest) = number.magnitude.quotientAndRemainder(dividingBy: size.magnitude)
            let tenth = rest / (size.magnitude / 10)
            return (number < 0 ? "-" : "") + whole.grouped + (tenth == 0 ? "" : ".\(tenth)") + " \(unit)"
        }
        return number.grouped
    }
}
