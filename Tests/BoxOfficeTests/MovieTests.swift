import Testing

@testable import BoxOffice

@Suite struct MovieTests {
    private static let bareJSON = """
        {"actors":[],"code":"20240001","companies":[],"directors":[],"genres":[],"nations":[],"openDate":null,\
        "productionYear":null,"ratings":[],"runtimeMinutes":null,"showTypes":[],"staff":[],"status":null,\
        "title":"첫눈","titleEnglish":null,"titleOriginal":null,"type":null}
        """

    private static let partsJSON = """
        {"actors":[{"name":"가","nameEnglish":null,"role":null,"roleEnglish":null}],"code":"20240001",\
        "companies":[{"code":null,"name":"나","nameEnglish":null,"part":null}],\
        "directors":[{"name":"다","nameEnglish":null}],"genres":["드라마"],"nations":["한국"],\
        "openDate":"2024-12-24","productionYear":2024,"ratings":[{"grade":"전체관람가","number":null}],\
        "runtimeMinutes":101,"showTypes":[{"group":"2D","name":null}],\
        "staff":[{"name":"라","nameEnglish":null,"role":null}],"status":"개봉","title":"첫눈",\
        "titleEnglish":"First Snow","titleOriginal":"Première neige","type":"장편"}
        """

    private var full: Movie {
        var movie = Movie(code: Sample.code("20240001"), title: "첫눈")
        movie.titleEnglish = "First Snow"
        movie.titleOriginal = "Première neige"
        movie.runtimeMinutes = 101
        movie.productionYear = 2024
        movie.openDate = Sample.date("2024-12-24")
        movie.status = "개봉"
        movie.type = "장편"
        movie.nations = ["한국"]
        movie.genres = ["드라마"]
        movie.directors = [Movie.Director(name: "다")]
        movie.actors = [Movie.Actor(name: "가")]
        movie.showTypes = [Movie.ShowType(group: "2D")]
        movie.companies = [Movie.Company(name: "나")]
        movie.ratings = [Movie.Rating(grade: "전체관람가")]
        movie.staff = [Movie.Staff(name: "라")]
        return movie
    }

    @Test func jsonHasEveryFieldOfTheContractAndNullOrAnEmptyListForWhatIsAbsent() throws {
        let bare = Movie(code: Sample.code("20240001"), title: "첫눈")
        #expect(try jsonText(bare) == Self.bareJSON)
        #expect(try jsonText(full) == Self.partsJSON)
        #expect(try roundTrip(bare) == bare)
        #expect(try roundTrip(full) == full)
    }

    @Test func jsonMayLackWhatIsNull() throws {
        let text = """
            {"actors":[{"name":"가"}],"code":"20240001","companies":[],"directors":[],"genres":[],"nations":[],\
            "ratings":[],"showTypes":[],"staff":[],"title":"첫눈","later":1}
            """
        let movie = try readJSON(Movie.self, text)
        #expect(movie.titleEnglish == nil)
        #expect(movie.actors == [Movie.Actor(name: "가")])
    }
}
