/// A Korean particle whose form depends on the last sound of the word before it.
struct KoreanParticle: Hashable, Sendable {
    /// 이, 가: who does something.
    static let subject = KoreanParticle(afterConsonant: "이", afterVowel: "가", unknown: "이(가)")
    /// 을, 를: to whom it is done.
    static let object = KoreanParticle(afterConsonant: "을", afterVowel: "를", unknown: "을(를)")
    /// 은, 는: what is spoken about.
    static let topic = KoreanParticle(afterConsonant: "은", afterVowel: "는", unknown: "은(는)")
    /// 과, 와: with whom.
    static let with = KoreanParticle(afterConsonant: "과", afterVowel: "와", unknown: "과(와)")
    /// 으로, 로: where to, or by what; after ㄹ as after a vowel.
    static let to = KoreanParticle(afterConsonant: "으로", afterRieul: "로", afterVowel: "로", unknown: "(으)로")

    private let afterConsonant: String
    private let afterRieul: String
    private let afterVowel: String
    private let unknown: String

    private init(afterConsonant: String, afterRieul: String? = nil, afterVowel: String, unknown: String) {
        self.afterConsonant = afterConsonant
        self.afterRieul = afterRieul ?? afterConsonant
        self.afterVowel = afterVowel
        self.unknown = unknown
    }

    /// The form that follows `word`; the form that names both, where the last sound cannot be told.
    func following(_ word: String) -> String {
        switch FinalConsonant(of: word) {
        case .consonant: afterConsonant
        case .rieul: afterRieul
        case .vowel: afterVowel
        case nil: unknown
        }
    }

    /// The word with its particle.
    func after(_ word: String) -> String {
        word + following(word)
    }
}
