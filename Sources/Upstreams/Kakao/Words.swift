/// A text as words of letters and digits in small letters, to find names in it however they are spaced.
struct Words: Sendable {
    /// A word, and whether a sign such as a bracket, a quotation mark or a colon stands before it.
    struct Word: Sendable {
        var text: String
        var isAfterSign: Bool
    }

    let words: [Word]
    init(_ text: some StringProtocol) {
        var words: [Word] = []
        var word = ""
        var isAfterSign = true  // nothing stands before the first word
        for character in text {
            if character.isLetter || character.isNumber {
                word += character.lowercased()
                continue
            }
            if !word.isEmpty {
                words.append(Word(text: word, isAfterSign: isAfterSign))
                (word, isAfterSign) = ("", false)
            }
            if !character.isWhitespace { isAfterSign = true }
        }
        if !word.isEmpty { words.append(Word(text: word, isAfterSign: isAfterSign)) }
        self.words = words
    }

    /// The letters and digits alone.
    var joined: String { words.map(\.text).joined() }

    /// The places where a name stands as whole words, in any spacing, or with a Korean particle behind it.
    func places(of name: Words) -> [Range<Int>] {
        let name = name.joined
        guard !name.isEmpty else { return [] }
        return words.indices.compactMap { start in
            var rest = name[...]
            for index in start..<words.count {
                let word = words[index].text
                if rest.hasPrefix(word) {
                    rest = rest.dropFirst(word.count)
                    if rest.isEmpty { return start..<index + 1 }
                } else {
                    let isName = word.hasPrefix(rest) && Self.particles.contains(String(word.dropFirst(rest.count)))
                    return isName ? start..<index + 1 : nil
                }
            }
            return nil
        }
    }

    /// Whether a name stands in the text.
    func contains(_ name: Words) -> Bool { !places(of: name).isEmpty }

    /// Whether a sign or the end of the text stands before or behind these words.
    func isBounded(_ place: Range<Int>) -> (before: Bool, behind: Bool) {
        (
            words[place.lowerBound].isAfterSign,
            place.upperBound == words.count || words[place.upperBound].isAfterSign
        )
    }

    /// The particles that follow a name without a blank.
    private static let particles: Set<String> = [
        "은", "는", "이", "가", "을", "를", "의", "와", "과", "도", "에", "로", "으로", "에서", "에게", "만", "부터", "까지", "보다",
    ]
}
