import BoxOffice
import FoundationEssentials

/// A number as the council sends it: nearly always text, at times a JSON number; nil where nothing is filled in.
private struct NumberText {
    let text: String?

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            text = nil
        } else if let string = try? container.decode(String.self) {  // its error would only say: not a string
            let trimmed = string.trimmed
            text = trimmed.isEmpty || trimmed == "-" ? nil : trimmed
        } else {
            text = "\(try container.decode(Decimal.self))"
        }
    }

    /// The number before the point and the digits behind it, without closing zeros; nil if the text is no such number.
    static func parts(of text: String) -> (whole: Int, fraction: Substring)? {
        let whole = text.prefix { $0 != "." }
        var fraction = text.dropFirst(whole.count + 1)
        guard let value = Int(whole), fraction.isEmpty == (whole.count == text.count),
            fraction.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return nil }
        while fraction.last == "0" { fraction.removeLast() }
        return (value, fraction)
    }
}

/// A count or an amount: `"264355728"`, `"-2004"`, `"98.0"`, `98`; blank or `"-"` is nil.
struct WholeNumber: Decodable {
    let value: Int?

    init(from decoder: any Decoder) throws {
        guard let text = try NumberText(from: decoder).text else {
            value = nil
            return
        }
        guard let parts = NumberText.parts(of: text), parts.fraction.isEmpty else {
            throw DecodingError.unreadable(text, "whole number", at: decoder.codingPath)
        }
        value = parts.whole
    }
}

/// A percentage with at most one decimal: `"27.7"`, `"-43"`, `"100.0"`; blank or `"-"` is nil.
struct PercentNumber: Decodable {
    let value: Percent?

    init(from decoder: any Decoder) throws {
        guard let text = try NumberText(from: decoder).text else {
            value = nil
            return
        }
        guard let parts = NumberText.parts(of: text), parts.fraction.count <= 1,
            // The sign and both digits in one number, because -0 would lose the sign of -0.5.
            let tenths = Int("\(text.prefix { $0 != "." })\(parts.fraction.isEmpty ? "0" : parts.fraction)")
        else {
            throw DecodingError.unreadable(text, "percentage with one decimal", at: decoder.codingPath)
        }
        value = Percent(tenths: tenths)
    }
}
