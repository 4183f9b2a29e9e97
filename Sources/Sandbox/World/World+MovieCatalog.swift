import BoxOffice
import FoundationEssentials
import JSONCoding

extension World: MovieCatalog {
    func chart(_ question: ChartQuery, at instant: Date) -> [UInt8] {
        question.body(
            chart(of: question.span, in: question.market, as: PublishedView(at: instant), lines: question.lines))
    }

    func movie(code: String, at instant: Date) -> [UInt8] {
        Self.movieBody(movieInfo(code: code, as: PublishedView(at: instant)))
    }

    func images(_ question: ImageQuery, base: String, at instant: Date) -> [UInt8] {
        let movie = movie(titled: question.query, as: PublishedView(at: instant))
        return ImagePage(of: movie, question, base: base).body
    }

    /// The body around a film's facts; around empty values if there is no such film, which is no fault.
    static func movieBody(_ movie: JSONTree?) -> [UInt8] {
        let texts = [
            "movieCd", "movieNm", "movieNmEn", "movieNmOg", "showTm", "prdtYear", "openDt", "prdtStatNm", "typeNm",
        ]
        let lists = ["nations", "genres", "directors", "actors", "showTypes", "companys", "audits", "staffs"]
        let unknown = JSONTree.object(texts.map { ($0, .string("")) } + lists.map { ($0, .array([])) })
        return JSONTree.object([
            ("movieInfoResult", .object([("movieInfo", movie ?? unknown), ("source", "영화진흥위원회")]))
        ]).json
    }
}
