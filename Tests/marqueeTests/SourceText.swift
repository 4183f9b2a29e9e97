import FoundationEssentials

/// A text that stands in a Swift file, without what is interpolated into it.
struct SourceText {
    /// The language that the call around it says: the first text of a pair is Korean, the second English.
    enum Place {
        case korean
        case english
        case other
    }

    let text: String
    let place: Place

    /// The calls whose first argument is in Korean, or in both languages at once.
    private static let calls = [
        "language(", "localized(", "Language.current(", "BilingualText(", "UsageError(", "Console.print(",
        "Console.printError(",
    ]

    /// Returns the texts of a Swift file.
    static func texts(of source: String) -> [SourceText] {
        var reader = Reader(source: source, rest: source[...])
        reader.skipCode()
        return reader.texts
    }

    private struct Reader {
        let source: String
        var rest: Substring
        var texts: [SourceText] = []
        /// The end of the text before, and its place.
        var last: (end: String.Index, place: Place)?

        /// Skips code up to the parenthesis that ends an interpolation, or to the end of the file.
        mutating func skipCode() {
            var depth = 0
            while let sign = rest.first {
                if sign == "\"" {
                    readText(until: rest.hasPrefix("\"\"\"") ? "\"\"\"" : "\"")
                } else if sign == "/", rest.hasPrefix("//") {
                    rest = rest.drop { !$0.isNewline }
                } else {
                    rest.removeFirst()
                    if sign == "(" { depth += 1 }
                    if sign == ")" { depth -= 1 }
                    if depth < 0 { return }
                }
            }
        }

        private mutating func readText(until quotes: String) {
            let place = place(at: rest.startIndex)
            rest.removeFirst(quotes.count)
            var text = ""
            while let sign = rest.first, !(sign == "\"" && rest.hasPrefix(quotes)) {
                if rest.hasPrefix("\\(") {
                    rest.removeFirst(2)
                    skipCode()
                    text += " "
                } else if sign == "\\" {
                    rest = rest.dropFirst(2)
                    text += " "
                } else {
                    text.append(rest.removeFirst())
                }
            }
            rest = rest.dropFirst(quotes.count)
            last = (rest.startIndex, place)
            texts.append(SourceText(text: text, place: place))
        }

        private func place(at start: String.Index) -> Place {
            let before = source[..<start].suffix(60).filter { !$0.isWhitespace }
            if SourceText.calls.contains(where: before.hasSuffix) { return .korean }
            guard let last else { return .other }
            switch (source[last.end..<start].filter { !$0.isWhitespace }, last.place) {
            case (",", .korean): return .english
            case ("+", let place): return place
            default: return .other
            }
        }
    }
}
