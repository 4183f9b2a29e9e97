import BoxOffice
import JSONCoding

/// Numbers as the council sends them: nearly always text, at times a JSON number; nil where nothing is filled in.
extension JSONValue {
    /// A count or an amount: `"264355728"`, `"-2004"`, `"98.0"`, `98`; blank or `"-"` is nil.
    func wholeNumber() throws(DecodingError) -> Int? {
        guard isText else { return try integer() }
        if let number = decimalInteger { return number }
        if let number = Int(try text()) { return number }
        guard let text = try filledIn() else { return nil }
        if let number = Int(text) { return number }
        guard let number = Percent(text), number.tenths.isMultiple(of: 10) else {
            throw unreadable(text, as: "whole number")
        }
        return number.tenths / 10
    }

    /// A percentage with at most one decimal: `"27.7"`, `"-43"`, `"100.0"`; blank or `"-"` is nil.
    func percentage() throws(DecodingError) -> Percent? {
        guard isText else { return try percent() }
        if let percent = withUnescapedBytes(Percent.init(digits:)) { return percent }
        if let percent = Percent(try text()) { return percent }
        guard let text = try filledIn() else { return nil }
        guard let percent = Percent(text) else { throw unreadable(text, as: "percentage with one decimal") }
        return percent
    }

    private func filledIn() throws(DecodingError) -> String? {
        let text = try text().trimmed
        return text.isEmpty || text == "-" ? nil : text
    }
}
