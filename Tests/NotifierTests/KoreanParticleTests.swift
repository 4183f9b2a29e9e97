import Testing

@testable import Notifier

@Suite struct KoreanParticleTests {
    @Test(
        "a particle follows the last sound of Hangul, digits and Latin letters",
        arguments: [
            ("파묘", "가", "를", "는", "로"), ("범죄도시", "가", "를", "는", "로"), ("듄", "이", "을", "은", "으로"),
            ("서울", "이", "을", "은", "로"), ("서울의 봄", "이", "을", "은", "으로"), ("위", "가", "를", "는", "로"),
            ("범죄도시4", "가", "를", "는", "로"), ("1987", "이", "을", "은", "로"), ("극장판 3", "이", "을", "은", "으로"),
            ("300", "이", "을", "은", "으로"), ("10", "이", "을", "은", "으로"), ("0", "이", "을", "은", "으로"),
            ("1,000,000,000,000", "이", "을", "은", "으로"), ("1000000000000", "가", "를", "는", "로"),
            ("Love", "가", "를", "는", "로"), ("Time", "이", "을", "은", "으로"), ("Girl", "이", "을", "은", "로"),
            ("Apple", "이", "을", "은", "로"), ("King", "이", "을", "은", "으로"), ("Cat", "이", "을", "은", "으로"),
            ("Night", "가", "를", "는", "로"), ("JOKER", "가", "를", "는", "로"), ("CGV", "가", "를", "는", "로"),
            ("X", "가", "를", "는", "로"), ("L", "이", "을", "은", "로"), ("BTM", "이", "을", "은", "으로"),
            ("외계+인 2부", "가", "를", "는", "로"), ("하이큐!!", "가", "를", "는", "로"), ("괴물 (재개봉)", "이", "을", "은", "로"),
            ("〈웡카〉", "가", "를", "는", "로"), ("\u{1112}\u{1161}\u{11ab}", "이", "을", "은", "으로"), ("ㅋ", "이", "을", "은", "으로"),
            ("Ⅲ", "이", "을", "은", "으로"), ("〈남과 여 (2016)〉", "가", "를", "는", "로"), ("듄[감독판]", "이", "을", "은", "으로"),
            ("파묘 (감독판 (2024))", "가", "를", "는", "로"), ("〈(2016)〉", "이", "을", "은", "으로"), ("웡카)", "가", "를", "는", "로"),
            ("100%", "가", "를", "는", "로"), ("디즈니+", "가", "를", "는", "로"), ("‘서울 (Seoul)’", "이", "을", "은", "로"),
        ])
    func forms(word: String, subject: String, object: String, topic: String, to: String) {
        func form(_ notation: String) -> String? { KoreanParticle(notation: notation)?.following(word) }
        #expect(form("이/가") == subject && form("을/를") == object && form("은/는") == topic && form("으로/로") == to)
        #expect(form("과/와") == (topic == "은" ? "과" : "와"))
        #expect(KoreanParticle(notation: "이라/라")?.following(word) == (topic == "은" ? "이라" : "라"))
    }

    @Test(
        "a text without a known final sound gets both forms of the particle",
        arguments: ["", "?!", "すずめ", "🙂", "1위 〈?!〉"])
    func unknown(word: String) {
        let notations = ["이/가", "을/를", "은/는", "과/와", "으로/로", "이라/라"]
        let forms = notations.map { KoreanParticle(notation: $0)?.following(word) }
        #expect(forms == ["이(가)", "을(를)", "은(는)", "과(와)", "(으)로", "(이)라"])
    }

    @Test("a template names a particle by its two forms, in either order")
    func notation() {
        for notation in ["이라/라", "나/이나", "이랑/랑", "이며/며", "로/으로", "와/과"] {
            #expect(KoreanParticle(notation: notation) != nil, "\(notation)")
        }
        #expect(KoreanParticle(notation: "이랑/랑")?.following("파묘") == "랑")
        for notation in ["이", "이/", "/", "day/days", "가/나"] {
            #expect(KoreanParticle(notation: notation) == nil, "\(notation)")
        }
    }
}
