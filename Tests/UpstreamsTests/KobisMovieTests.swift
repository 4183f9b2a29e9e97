import BoxOffice
import FoundationEssentials
import Networking
import Testing

@testable import Upstreams

@Suite struct KobisMovieTests {
    private static let full = """
        {"movieCd":"2022B512","movieNm":"바람의 끝 ","movieNmEn":"Wind's End","movieNmOg":"","showTm":"133",\
        "prdtYear":"2024","openDt":"20240222","prdtStatNm":"개봉","typeNm":"장편",\
        "nations":[{"nationNm":"오스트리아 "},{"nationNm":""}],"genres":[{"genreNm":"드라마"}],\
        "directors":[{"peopleNm":"가나다","peopleNmEn":"GA Na-da"},{"peopleNm":"","peopleNmEn":""}],\
        "actors":[{"peopleNm":"라마바","peopleNmEn":"","cast":"선장","castEn":""},\
        {"peopleNm":"","peopleNmEn":"Jo Doe","cast":"","castEn":"Mate"}],\
        "showTypes":[{"showTypeGroupNm":"2D","showTypeNm":"디지털"}],\
        "companys":[{"companyCd":"20100001","companyNm":"스튜디오설 ","companyNmEn":"","companyPartNm":"배급사"}],\
        "audits":[{"auditNo":"2024-MF00001 ","watchGradeNm":"15세이상관람가"},{"auditNo":"1","watchGradeNm":""}],\
        "staffs":[{"peopleNm":"사아자","peopleNmEn":"","staffRoleNm":"촬영"}]}
        """

    @Test func everyFieldIsReadAndBlanksAreNil() throws {
        var movie = Movie(code: Sample.code("2022B512"), title: "바람의 끝")
        movie.titleEnglish = "Wind's End"
        movie.runtimeMinutes = 133
        movie.productionYear = 2024
        movie.openDate = Sample.date("2024-02-22")
        movie.status = "개봉"
        movie.type = "장편"
        movie.nations = ["오스트리아"]
        movie.genres = ["드라마"]
        movie.directors = [Movie.Director(name: "가나다", nameEnglish: "GA Na-da")]
        movie.actors = [
            Movie.Actor(name: "라마바", role: "선장"),
            Movie.Actor(name: "Jo Doe", nameEnglish: "Jo Doe", roleEnglish: "Mate"),
        ]
        movie.showTypes = [Movie.ShowType(group: "2D", name: "디지털")]
        movie.companies = [Movie.Company(code: "20100001", name: "스튜디오설", part: "배급사")]
        movie.ratings = [Movie.Rating(number: "2024-MF00001", grade: "15세이상관람가")]
        movie.staff = [Movie.Staff(name: "사아자", role: "촬영")]
        #expect(try Sample.movie("2022B512", info: Self.full) == movie)
    }

    @Test func onlyTheCodeAndTheTitleAreRequired() throws {
        let movie = try Sample.movie(
            "20240001", info: #"{"movieCd":"20240001","movieNm":"첫눈","showTm":"","openDt":"","actors":null}"#)
        #expect(movie == Movie(code: Sample.code("20240001"), title: "첫눈"))
    }

    @Test(arguments: [
        #"{"movieInfoResult":{}}"#, #"{"movieInfoResult":{"movieInfo":null,"source":"영화진흥위원회"}}"#,
        #"{"movieInfoResult":{"movieInfo":{}}}"#,
        #"{"movieInfoResult":{"movieInfo":{"movieCd":"","movieNm":"","nations":[]}}}"#,
        #"{"movieInfoResult":{"movieInfo":{"movieCd":null,"movieNm":null}}}"#,
    ])
    func anUnknownCodeIsNotFound(body: String) {
        let error = #expect(throws: UpstreamError.self) { try Sample.movie("20240001", Data(body.utf8)) }
        #expect(error?.kind == .notFound)
        #expect(error?.isTransient == false)
    }

    @Test(arguments: [
        (#"{"movieCd":"20240001","movieNm":""}"#, "movieInfo.movieNm"),
        (#"{"movieCd":"2024","movieNm":"첫눈"}"#, "movieInfo.movieCd"),
        (#"{"movieCd":"20240002","movieNm":"첫눈"}"#, "movieInfo.movieCd"),
        (#"[]"#, "movieInfo"),
    ])
    func aBrokenRequiredFieldIsNamedByItsPath(info: String, field: String) {
        let error = #expect(throws: UpstreamError.self) { try Sample.movie("20240001", info: info) }
        #expect(error?.kind == .invalid)
        #expect(error?.field == field)
    }

    @Test("A code and a title can be numbers", arguments: ["20240001", #"" 20240001 ""#])
    func numbers(code: String) throws {
        let movie = try Sample.movie("20240001", info: #"{"movieCd":\#(code),"movieNm":1917}"#)
        #expect(movie.code.description == "20240001" && movie.title == "1917")
    }

    @Test("An optional field that cannot be read is nil and named, and costs nothing else")
    func unreadable() throws {
        let info = #"""
            {"movieCd":"20240001","movieNm":"첫눈","showTm":"long","openDt":"soon","prdtYear":[],"nations":"한국",
            "genres":[7,{"genreNm":"드라마"}],
            "actors":[{"peopleNm":"가"},{"peopleNm":"나","cast":7},{"peopleNm":"다","cast":8}]}
            """#
        var movie = Movie(code: Sample.code("20240001"), title: "첫눈")
        movie.genres = ["드라마"]
        movie.actors = ["가", "나", "다"].map { Movie.Actor(name: $0) }
        let reading = try Sample.reading("20240001", info: info)
        #expect(reading.value == movie)
        #expect(
            reading.unreadable.map(\.path) == [
                "movieInfo.showTm", "movieInfo.prdtYear", "movieInfo.openDt", "movieInfo.nations",
                "movieInfo.genres[0]", "movieInfo.actors[1].cast",
            ])
        #expect(reading.unreadable.map(\.count) == [1, 1, 1, 1, 1, 2])
    }

    @Test("A movie of 0 minutes has no known length", arguments: ["\"0\"", "0", "\"\"", "\"-\""])
    func noLength(showTm: String) throws {
        let reading = try Sample.reading(
            "20240001", info: #"{"movieCd":"20240001","movieNm":"첫눈","showTm":\#(showTm)}"#)
        #expect(reading.value.runtimeMinutes == nil)
        #expect(reading.unreadable.isEmpty)
    }

    @Test func aResponseWithoutAResultIsInvalid() {
        let error = #expect(throws: UpstreamError.self) { try Sample.movie("20240001", Data("{}".utf8)) }
        #expect(error?.kind == .invalid)
        #expect(error?.field == "movieInfoResult")
    }
}
