import BoxOffice
import Testing

@Suite struct NamedMovieTests {
    private func movie(_ code: String, _ title: String = "괴물", _ openDate: String? = nil) throws -> NamedMovie {
        NamedMovie(code: try #require(MovieCode(code)), title: title, openDate: openDate.flatMap { KoreanDate($0) })
    }

    @Test("a title alone stands for a movie without namesakes")
    func alone() throws {
        let movie = try movie("20060001", "괴물", "2006-07-27")
        #expect(movie.distinctTitle(among: []) == "괴물")
        #expect(movie.distinctTitle(among: [movie, try self.movie("20230001", "괴물들", "2023-11-29")]) == "괴물")
    }

    @Test("movies of one title are told apart by year, in one year by day, and at last by code")
    func namesakes() throws {
        let old = try movie("20060001", "괴물", "2006-07-27")
        let new = try movie("20230001", "괴물", "2023-11-29")
        let sameYear = try movie("20230002", "괴물", "2023-02-01")
        let sameDay = try movie("20230003", "괴물", "2023-11-29")
        let unknown = try movie("20230004")
        #expect(old.distinctTitle(among: [old, new]) == "괴물 (2006)")
        #expect(new.distinctTitle(among: [old, new]) == "괴물 (2023)")
        #expect(new.distinctTitle(among: [old, sameYear]) == "괴물 (2023-11-29)")
        #expect(new.distinctTitle(among: [old, sameDay]) == "괴물 (20230001)")
        #expect(unknown.distinctTitle(among: [old]) == "괴물 (20230004)")
        #expect(old.distinctTitle(among: [unknown]) == "괴물 (2006)")
    }
}
