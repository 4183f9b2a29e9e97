import BoxOffice
import FoundationEssentials
import TestSupport
import Testing

@testable import Upstreams

@Suite struct RecordedMovieTests {
    private func movies() throws -> [Movie] {
        try Recorded.files(in: "kobis/movie").map { path in
            try Sample.movie(String(path.dropLast(".json".count).suffix(8)), Recorded.data(path))
        }
    }

    @Test func everyRecordedFilmIsReadAndNothingInItIsBlank() throws {
        let movies = try movies()
        #expect(movies.count == 277)
        let encoder = JSONEncoder()
        for movie in movies {
            let json = String(decoding: try encoder.encode(movie), as: UTF8.self)
            if json.contains(#""""#) || json.contains(#" "}"#) || json.contains(#" ","#) {
                Issue.record("something is blank in \(json)")
            }
        }
    }

    @Test func lengthsYearsAndDaysAreSane() throws {
        let movies = try movies()
        #expect(movies.filter { $0.runtimeMinutes == nil }.count == 2)
        #expect(movies.allSatisfy { (1...600).contains($0.runtimeMinutes ?? 100) })
        #expect(movies.allSatisfy { (1900...2100).contains($0.productionYear ?? 0) })
        #expect(movies.allSatisfy { $0.openDate != nil })
    }

    @Test("every recorded word of the closed vocabularies has an English one", arguments: MovieVocabulary.allCases)
    func vocabulary(_ vocabulary: MovieVocabulary) throws {
        let used = Set(try movies().flatMap { words(of: vocabulary, in: $0) })
        #expect(!used.isEmpty)
        let untranslated = used.filter { vocabulary.english($0).contains(/\p{Hangul}/) }
        #expect(untranslated == [])
    }

    private func words(of vocabulary: MovieVocabulary, in movie: Movie) -> [String] {
        switch vocabulary {
        case .ratings: movie.ratings.map(\.grade)
        case .genres: movie.genres
        case .nations: movie.nations
        case .parts: movie.companies.compactMap(\.part)
        case .roles: movie.staff.compactMap(\.role)
        case .showTypes: movie.showTypes.flatMap { [$0.group, $0.name].compactMap(\.self) }
        case .types: [movie.type].compactMap(\.self)
        case .statuses: [movie.status].compactMap(\.self)
        }
    }

    @Test func aKnownFilmIsKnown() throws {
        let movie = try Sample.movie("20234675", Recorded.data("kobis/movie/20234675.json"))
        #expect(movie.title == "파묘")
        #expect(movie.titleEnglish == "Exhuma")
        #expect(movie.titleOriginal == nil)
        #expect(movie.runtimeMinutes == 133)
        #expect(movie.openDate == Sample.date("2024-02-22"))
        #expect(movie.directors == [Movie.Director(name: "장재현", nameEnglish: "JANG Jae-hyun")])
        #expect(movie.actors.first == Movie.Actor(name: "최민식", nameEnglish: "CHOI Min-shik", role: "김상덕"))
        #expect(movie.genres == ["미스터리", "공포(호러)"])
    }
}
