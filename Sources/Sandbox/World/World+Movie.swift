import BoxOffice
import JSONCoding

extension World {
    /// A film's facts as the service writes them, or nil if it does not know the code.
    func movieInfo(code: String, as knowledge: PublishedView) -> JSONTree? {
        guard let movie = movie(code: code, as: knowledge) else { return nil }
        let facts = movie.facts
        func people(_ person: Person) -> [(String, JSONTree)] {
            [("peopleNm", .string(person.name)), ("peopleNmEn", .string(person.nameEnglish))]
        }
        return .object([
            ("movieCd", .string(movie.code)), ("movieNm", .string(movie.title)),
            ("movieNmEn", .string(movie.titleEnglish)), ("movieNmOg", .string(facts.titleOriginal)),
            ("showTm", .string(facts.minutes)), ("prdtYear", .string(facts.year)),
            ("openDt", .string(movie.hidesOpening ? "" : movie.opening.compact)),
            ("prdtStatNm", knowledge.hasSeen(movie) ? "개봉" : "개봉예정"), ("typeNm", .string(facts.type)),
            ("nations", .array(facts.nations.map { .object([("nationNm", .string($0))]) })),
            ("genres", .array(facts.genres.map { .object([("genreNm", .string($0))]) })),
            ("directors", .array(facts.directors.map { .object(people($0)) })),
            (
                "actors",
                .array(
                    facts.actors.map {
                        .object(people($0.person) + [("cast", .string($0.cast)), ("castEn", .string($0.castEnglish))])
                    })
            ),
            (
                "showTypes",
                .array(
                    facts.showTypes.map {
                        .object([("showTypeGroupNm", .string($0.group)), ("showTypeNm", .string($0.name))])
                    })
            ),
            (
                "companys",
                .array(
                    facts.companies.map {
                        .object([
                            ("companyCd", .string($0.code)), ("companyNm", .string($0.name)),
                            ("companyNmEn", .string($0.nameEnglish)), ("companyPartNm", .string($0.part)),
                        ])
                    })
            ),
            (
                "audits",
                .array(
                    facts.audits.map {
                        .object([("auditNo", .string($0.number)), ("watchGradeNm", .string($0.grade))])
                    })
            ),
            (
                "staffs",
                .array(facts.staff.map { .object(people($0.person) + [("staffRoleNm", .string($0.role))]) })
            ),
        ])
    }
}
