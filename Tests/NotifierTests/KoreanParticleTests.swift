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
            ("외계+인 2부", "가", "를", "는", "로"), ("하이큐!!", "가", "를", "는", "로"), ("괴물 (재개봉)", "이", "을", "은", "으로"),
            ("〈웡카〉", "가", "를", "는", "로"), ("\u{1112}\u{1161}\u{11ab}", "이", "을", "은", "으로"), ("ㅋ", "이", "을", "은", "으로"),
            ("Ⅲ", "이", "을", "은", "으로"),
        ])
    func forms(word: String, subject: String, object: String, topic: String, to: String) {
        #expect(KoreanParticle.subject.following(word) == subject)
        #expect(KoreanParticle.object.following(word) == object)
        #expect(KoreanParticle.topic.following(word) == topic)
        #expect(KoreanParticle.to.following(word) == to)
    }

    @Test("a text without a known final sound gets both forms of the particle", arguments: ["", "?!", "すずめ", "🙂"])
    func unknown(word: String) {
        #expect(KoreanParticle.object.after(word) == word + "을(를)")
    }
}
