/// How a word ends when a Korean reads it aloud.
enum FinalConsonant: Hashable, Sendable {
    case vowel
    /// The consonant ㄹ, which some particles treat as a vowel.
    case rieul
    case consonant

    /// Listens to the last letter or digit, whatever quotes and brackets stand behind it; nil for scripts it cannot read.
    init?(of word: String) {
        guard let end = word.lastIndex(where: { $0.isLetter || $0.isNumber }) else { return nil }
        let spoken = word[...end]
        let last = word[end]
        if last.isASCII, last.isNumber {
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

    /// Hangul: a whole syllable, a letter of one, or a letter by itself.
    private init?(hangul scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0xac00...0xd7a3:
            // 28 syllables share their beginning: first without a last consonant, the ninth with ㄹ.
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

    /// A number as Sino-Korean reads it: by its last digit, or by the power of ten that its zeros stand for.
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

    /// A word in Latin letters as Korean usually borrows it. Spelling tells sound only so far: this is a rule of thumb.
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

    /// A letter that is spelt out: 엘, 엠, 엔, 알; all others end in a vowel.
    private init(nameOf letter: Character?) {
        switch letter {
        case "l", "r": self = .rieul
        case "m", "n": self = .consonant
        default: self = .vowel
        }
    }
}
