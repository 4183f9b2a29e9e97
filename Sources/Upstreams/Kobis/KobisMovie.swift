import BoxOffice
import JSONCoding

/// The response to `searchMovieInfo`.
struct KobisMovie: JSONReadable {
    /// The movie; nil if its code is unknown, for which KOBIS sends nothing or a movie with empty fields.
    let movie: Movie?

    init(json: JSONValue) throws(DecodingError) {
        let info = try json.value("movieInfoResult")["movieInfo"]
        let isKnown = try info?["movieCd"]?.filledText() != nil
        movie = isKnown ? try info.map { info throws(DecodingError) in try Movie(kobis: info) } : nil
    }
}

extension Movie {
    /// Reads a movie, whose unknown fields are empty texts. Parts without a name are left out.
    fileprivate init(kobis info: JSONValue) throws(DecodingError) {
        self.init(code: try info.value("movieCd").text(), title: try info.value("movieNm").requiredTitle())
        titleEnglish = try info.filledText("movieNmEn")
        titleOriginal = try info.filledText("movieNmOg")
        runtimeMinutes = try info["showTm"]?.wholeNumber(in: 0...100_000)
        productionYear = try info["prdtYear"]?.year()
        openDate = try info["openDt"]?.day()
        status = try info.filledText("prdtStatNm")
        type = try info.filledText("typeNm")
        nations = try info.parts("nations") { nation throws(DecodingError) in try nation.filledText("nationNm") }
        genres = try info.parts("genres") { genre throws(DecodingError) in try genre.filledText("genreNm") }
        directors = try info.parts("directors") { person throws(DecodingError) in
            let (name, english) = try person.names()
            return name.map { Director(name: $0, nameEnglish: english) }
        }
        actors = try info.parts("actors") { person throws(DecodingError) in
            let (name, english) = try person.names()
            let (role, roleEnglish) = (try person.filledText("cast"), try person.filledText("castEn"))
            return name.map { Actor(name: $0, nameEnglish: english, role: role, roleEnglish: roleEnglish) }
        }
        showTypes = try info.parts("showTypes") { showType throws(DecodingError) in
            let (group, name) = (try showType.filledText("showTypeGroupNm"), try showType.filledText("showTypeNm"))
            return (group ?? name).map { ShowType(group: $0, name: name) }
        }
        companies = try info.parts("companys") { company throws(DecodingError) in
            let (name, english) = (try company.filledText("companyNm"), try company.filledText("companyNmEn"))
            let (code, part) = (try company.filledText("companyCd"), try company.filledText("companyPartNm"))
            return (name ?? english).map { Company(code: code, name: $0, nameEnglish: english, part: part) }
        }
        ratings = try info.parts("audits") { audit throws(DecodingError) in
            let (number, grade) = (try audit.filledText("auditNo"), try audit.filledText("watchGradeNm"))
            return grade.map { Rating(number: number, grade: $0) }
        }
        staff = try info.parts("staffs") { person throws(DecodingError) in
            let (name, english) = try person.names()
            let role = try person.filledText("staffRoleNm")
            return name.map { Staff(name: $0, nameEnglish: english, role: role) }
        }
    }
}

extension JSONValue {
    /// Reads a person's name, in Latin letters if there is no Korean one, and the name in Latin letters.
    fileprivate func names() throws(DecodingError) -> (name: String?, english: String?) {
        let (name, english) = (try filledText("peopleNm"), try filledText("peopleNmEn"))
        return (name ?? english, english)
    }

    /// Reads the parts in a member's list; none if there is no list.
    fileprivate func parts<Part>(
        _ name: String, _ read: (JSONValue) throws(DecodingError) -> Part?
    ) throws(DecodingError) -> [Part] {
        var parts: [Part] = []
        for json in try self[name]?.elements() ?? [] {
            if let part = try read(json) { parts.append(part) }
        }
        return parts
    }
}
