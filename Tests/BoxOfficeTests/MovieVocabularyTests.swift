import BoxOffice
import Testing

@Suite struct MovieVocabularyTests {
    @Test(
        "a word of the council has an English one",
        arguments: [
            (MovieVocabulary.ratings, "15세이상관람가", "15 and over"), (.genres, "공포(호러)", "Horror"),
            (.nations, "한국", "South Korea"), (.parts, "배급사", "Distribution"), (.roles, "촬영", "Cinematography"),
            (.showTypes, "디지털 더빙", "Digital, dubbed"), (.types, "장편", "Feature"), (.statuses, "개봉예정", "Upcoming"),
        ])
    func english(vocabulary: MovieVocabulary, korean: String, english: String) {
        #expect(vocabulary.english(korean) == english)
    }

    @Test("a word that is not listed stays as it is", arguments: MovieVocabulary.allCases)
    func unknown(vocabulary: MovieVocabulary) {
        #expect(vocabulary.english("새로운 낱말") == "새로운 낱말")
    }

    @Test("no English word is empty or has Korean letters", arguments: MovieVocabulary.allCases)
    func words(vocabulary: MovieVocabulary) {
        #expect(!vocabulary.words.isEmpty)
        let wrong = vocabulary.words.values.filter { $0.isEmpty || $0.contains(/\p{Hangul}/) }
        #expect(wrong == [])
    }
}
