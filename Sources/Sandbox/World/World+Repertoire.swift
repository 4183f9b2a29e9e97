import BoxOffice
import FoundationEssentials

extension World: Repertoire {
    func chart(_ question: ChartQuestion, at instant: Date) -> [UInt8] {
        question.body(
            chart(of: question.span, in: question.market, as: Knowledge(at: instant), lines: question.lines))
    }

    func movie(code: String, at instant: Date) -> [UInt8] {
        Self.movieBody(movie(code: code, as: Knowledge(at: instant)))
    }

    func images(_ question: ImageQuestion, base: String, at instant: Date) -> [UInt8] {
        let film = film(titled: question.query, as: Knowledge(at: instant))
        return ImagePage(of: film, question, base: base).body
    }

    /// The body around a film's facts; around empty values if there is no such film, which is no fault.
    static func movieBody(_ movie: JSON?) -> [UInt8] {
        let texts = [
            "movieCd", "movieNm", "movieNmEn", "movieNmOg", "showTm", "prdtYear", "openDt", "prdtStatNm", "typeNm",
        ]
        let lists = ["nations", "genres", "directors", "actors", "showTypes", "companys", "audits", "staffs"]
        let unknown = JSON.object(texts.map { ($0, .string("")) } + lists.map { ($0, .array([])) })
        return JSON.object([
            ("movieInfoResult", .object([("movieInfo", movie ?? unknown), ("source", "영화진흥위원회")]))
        ]).bytes
    }
}
