import BoxOffice
import JSONCoding

/// The answer to `searchMovieInfo`.
struct KobisMovie: JSONReadable {
    /// The film; nil if its code is not known: then nothing is sent, or a film of which nothing is filled in.
    let movie: Movie?

    init(json: JSONValue) throws(DecodingError) {
        let info = try json.value("movieInfoResult")["movieInfo"]
        let isKnown = try info?["movieCd"]?.words() != nil
        movie = isKnown ? try info.map { info throws(DecodingError) in try Movie(kobis: info) } : nil
    }
}

extension Movie {
    /// Reads a film as it is sent: what is not known is an empty text. Parts without a name are left out.
    fileprivate init(kobis info: JSONValue) throws(DecodingError) {
        self.init(code: try info.value("movieCd").text(), title: try info.value("movieNm").title())
        titleEnglish = try info.words("movieNmEn")
        titleOriginal = try info.words("movieNmOg")
        runtimeMinutes = try info["showTm"]?.wholeNumber()
        productionYear = try info["prdtYear"]?.wholeNumber()
        openDate = try info["openDt"]?.day()
        status = try info.words("prdtStatNm")
        type = try info.words("typeNm")
        nations = try info.parts("nations") { nation throws(DecodingError) in try nation.words("nationNm") }
        genres = try info.parts("genres") { genre throws(DecodingError) in try genre.words("genreNm") }
        directors = try info.parts("directors") { person throws(DecodingError) in
            let (name, english) = try person.names()
            return name.map { Director(name: $0, nameEnglish: english) }
        }
        actors = try info.parts("actors") { person throws(DecodingError) in
            let (name, english) = try person.names()
            let (role, roleEnglish) = (try person.words("cast"), try person.words("castEn"))
            return name.map { Actor(name: $0, nameEnglish: english, role: role, roleEnglish: roleEnglish) }
        }
        showTypes = try info.parts("showTypes") { showType throws(DecodingError) in
            let (group, name) = (try showType.words("showTypeGroupNm"), try showType.words("showTypeNm"))
            return (group ?? name).map { ShowType(group: $0, name: name) }
        }
        companies = try info.parts("companys") { company throws(DecodingError) in
            let (name, english) = (try company.words("companyNm"), try company.words("companyNmEn"))
            let (code, part) = (try company.words("companyCd"), try company.words("companyPartNm"))
            return (name ?? english).map { Company(code: code, name: $0, nameEnglish: english, part: part) }
        }
        ratings = try info.parts("audits") { audit throws(DecodingError) in
            let (number, grade) = (try audit.words("auditNo"), try audit.words("watchGradeNm"))
            return grade.map { Rating(number: number, grade: $0) }
        }
        staff = try info.parts("staffs") { person throws(DecodingError) in
            let (name, english) = try person.names()
            let role = try person.words("staffRoleNm")
            return name.map { Staff(name: $0, nameEnglish: english, role: role) }
        }
    }
}

extension JSONValue {
    /// What somebody is called: in Korean, or else in Latin letters, and in Latin letters.
    fileprivate func names() throws(DecodingError) -> (name: String?, english: String?) {
        let (name, english) = (try words("peopleNm"), try words("peopleNmEn"))
        return (name ?? english, english)
    }

    /// The parts in a member's list; none if there is no list.
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
