/// A Korean particle whose form depends on the last sound of the word before it.
struct KoreanParticle: Hashable, Sendable {
    private let afterConsonant: String
    private let afterVowel: String

    private static let pairs = [("이", "가"), ("을", "를"), ("은", "는"), ("과", "와"), ("으로", "로")]

    /// The notations of particles, the last as an example of those with 이 after a consonant.
    static let notations = pairs.map { "\($0)/\($1)" } + ["이라/라"]

    /// Makes a particle of its two forms in a template, in either order: `이/가` or `가/이`.
    init?(notation: String) {
        let forms = notation.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard forms.count == 2 else { return nil }
        if let pair = Self.pairs.first(where: { [$0, $1] == forms || [$1, $0] == forms }) {
            (afterConsonant, afterVowel) = pair
            return
        }
        // 이라/라, 이나/나, 이랑/랑, 이며/며, …
        let ordered = forms.sorted { $0.count > $1.count }
        guard !ordered[1].isEmpty, ordered[0] == "이" + ordered[1] else { return nil }
        (afterConsonant, afterVowel) = (ordered[0], ordered[1])
    }

    /// Returns the form that follows `word`; a form that shows both where the last sound is not known.
    func following(_ word: String) -> String {
        switch FinalConsonant(of: word) {
        case .consonant: afterConsonant
        // After ㄹ, 으로 is as after a vowel.
        case .rieul: afterConsonant == "으로" ? afterVowel : afterConsonant
        case .vowel: afterVowel
        case nil where afterConsonant.hasSuffix(afterVowel):
            "(\(afterConsonant.dropLast(afterVowel.count)))\(afterVowel)"
        case nil: "\(afterConsonant)(\(afterVowel))"
        }
    }
}

/// The last sound of a word as a Korean speaker reads it.
enum FinalConsonant: Hashable, Sendable {
    case vowel
    /// The consonant ㄹ, which some particles treat as a vowel.
    case rieul
    case consonant

    /// Finds the sound of the last letter, digit or spoken symbol, ignoring quotes, signs and what is in brackets after it;
    /// nil for unknown scripts.
    init?(of word: String) {
        let spoken = Self.spoken(word)
        guard let last = spoken.last else { return nil }
        if Self.spokenSymbols.contains(last) {
            self = .vowel
        } else if last.isASCII, last.isNumber {
            self.init(digits: spoken.reversed().prefix { $0.isASCII && $0.isNumber }.reversed())
        } else if last.isASCII, last.isLetter {
            self.init(latin: String(spoken.reversed().prefix { $0.isASCII && $0.isLetter }.reversed()))
        } else if let sound = last.unicodeScalars.last.flatMap(Self.init(hangul:)) {
            self = sound
        } else if let number = last.wholeNumberValue {
            self.init(digits: Array(String(number)))
        } else {
            return nil
        }
    }

    /// Symbols that are read aloud: 퍼센트, 플러스, 앤드, 달러, 유로 and 도, which all end in a vowel.
    private static let spokenSymbols: Set<Character> = ["%", "％", "+", "＋", "&", "＆", "$", "€", "°", "℃"]
    private static let brackets: [Character: Character] = [
        ")": "(", "]": "[", "}": "{", "）": "（", "］": "［", "〕": "〔", "】": "【",
    ]
    private static let openings: Set<Character> = brackets.values.reduce(into: ["〈", "《", "「", "『", "‘", "“"]) {
        $0.insert($1)
    }

    /// Returns the text up to its last sound: a particle follows the word before a bracket (남과 여 (2016)를), unless all of
    /// the name is in the bracket.
    private static func spoken(_ word: String) -> Substring {
        var rest = word[...]
        while let last = rest.last, !last.isLetter, !last.isNumber, !spokenSymbols.contains(last) {
            // What stands before the quotation has no part in it.
            if openings.contains(last) { return "" }
            rest = beforeBracket(at: rest, closing: last) ?? rest.dropLast()
        }
        return rest
    }

    /// Returns what stands before the bracket that ends a text; nil if it ends in none, or if nothing does.
    private static func beforeBracket(at text: Substring, closing last: Character) -> Substring? {
        guard let opening = brackets[last] else { return nil }
        var depth = 0
        guard
            let start = text.lastIndex(where: { character in
                depth += character == last ? 1 : character == opening ? -1 : 0
                return depth == 0
            }), let before = text[..<start].last(where: { !$0.isWhitespace }), !openings.contains(before)
        else { return nil }
        return text[..<start]
    }

    private init?(hangul scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0xac00...0xd7a3:
            // Each 28 syllables share a beginning: the first has no final consonant, the ninth has ㄹ.
            switch (scalar.value - 0xac00) % 28 {
            case 0: self = .vowel
            case 8: self = .rieul
            default: self = .consonant
            }
        case 0x11af, 0x3139: self = .rieul
        case 0x11a8...0x11c2, 0x3131...0x314e: self = .consonant
        case 0x1161...0x1175, 0x314f...0x3163: self = .vowel
        default: return nil
        }
    }

    /// A number in Sino-Korean: its last digit counts, or the power of ten that its zeros give.
    private init(digits: [Character]) {
        let zeros = digits.reversed().prefix { $0 == "0" }.count
        if zeros > 0 {
            // 영, 십, 백, 천, 만, 억 and 경 end in consonants; 조, from 10^12 on, does not.
            self = zeros < digits.count && (12...15).contains(zeros) ? .vowel : .consonant
            return
        }
        switch digits.last {
        case "1", "7", "8": self = .rieul
        case "3", "6": self = .consonant
        default: self = .vowel
        }
    }

    /// A word in Latin letters, as Korean usually borrows it. A rule of thumb: spelling does not fix the sound.
    private init(latin word: String) {
        let letters = Array(word.lowercased())
        let isVowel = letters.map { "aeiouy".contains($0) }
        guard letters.count > 1, isVowel.contains(true) else {
            self.init(nameOf: letters.last)
            return
        }
        // A silent e after vowel and consonant: Time is 타임, Line 라인, Smile 스마일, but Love 러브.
        let end = letters.count - 1
        if end >= 3, letters[end] == "e", !isVowel[end - 1], "lmn".contains(letters[end - 1]) {
            self = letters[end - 1] == "l" ? .rieul : .consonant
            return
        }
        let followsOneVowel = isVowel[end - 1] && (end < 2 || !isVowel[end - 2])
        switch letters[end] {
        case "l": self = .rieul
        case "m", "n": self = .consonant
        case "g": self = letters[end - 1] == "n" ? .consonant : .vowel
        case "k" where letters[end - 1] == "c": self = .consonant
        // A stop after one short vowel closes the syllable (캣, 톱, 웹, 뮤직); after more it gets a vowel (나이트, 보트).
        case "b", "c", "k", "p", "t": self = followsOneVowel ? .consonant : .vowel
        default: self = .vowel
        }
    }

    /// The name of a single letter: 엘, 엠, 엔 and 알 end in a consonant, all others in a vowel.
    private init(nameOf letter: Character?) {
        switch letter {
        case "l", "r": self = .rieul
        case "m", "n": self = .consonant
        default: self = .vowel
        }
    }
}
