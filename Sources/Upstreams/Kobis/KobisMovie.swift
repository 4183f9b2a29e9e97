import BoxOffice
import JSONCoding

/// The response to `searchMovieInfo`.
struct KobisMovie: JSONReadable {
    /// The movie; nil if its code is unknown, for which KOBIS sends nothing or a movie with empty fields.
    let movie: Movie?
    /// The fields that could not be read.
    let unreadable: [UnreadableField]

    init(json: JSONValue) throws(DecodingError) {
        let info = try json.value("movieInfoResult")["movieInfo"]
        let code = try info?["movieCd"]
        let isKnown = try code?.isText == true ? code?.filledText() != nil : code != nil
        let unreadable = UnreadableFields(wrappers: 1)
        movie =
            isKnown ? try info.map { info throws(DecodingError) in try Movie(kobis: info, unreadable) } : nil
        self.unreadable = unreadable.fields
    }
}

extension Movie {
    /// Reads a movie, whose unknown fields are empty texts. Parts without a name are left out.
    fileprivate init(kobis info: JSONValue, _ unreadable: UnreadableFields) throws(DecodingError) {
        self.init(code: try info.value("movieCd").movieCode(), title: try info.value("movieNm").requiredTitle())
        func text(_ json: JSONValue, _ name: String) -> String? { unreadable.optional(try json.filledText(name)) }
        func parts<Part>(_ name: String, _ read: (JSONValue) -> Part?) -> [Part] {
            unreadable.optional(try info[name]?.elements())?.compactMap(read) ?? []
        }
        /// Reads a person's name, in Latin letters if there is no Korean one, and the name in Latin letters.
        func names(_ person: JSONValue) -> (name: String?, english: String?) {
            let (name, english) = (text(person, "peopleNm"), text(person, "peopleNmEn"))
            return (name ?? english, english)
        }
        titleEnglish = text(info, "movieNmEn")
        titleOriginal = text(info, "movieNmOg")
        let minutes = unreadable.optional(try info["showTm"]?.wholeNumber(in: 0...100_000))
        // No movie lasts 0 minutes: the length is unknown.
        runtimeMinutes = minutes == 0 ? nil : minutes
        productionYear = unreadable.optional(try info["prdtYear"]?.year())
        openDate = unreadable.optional(try info["openDt"]?.day())
        status = text(info, "prdtStatNm")
        type = text(info, "typeNm")
        nations = parts("nations") { text($0, "nationNm") }
        genres = parts("genres") { text($0, "genreNm") }
        directors = parts("directors") { person in
            let (name, english) = names(person)
            return name.map { Director(name: $0, nameEnglish: english) }
        }
        actors = parts("actors") { person in
            let (name, english) = names(person)
            let (role, roleEnglish) = (text(person, "cast"), text(person, "castEn"))
            return name.map { Actor(name: $0, nameEnglish: english, role: role, roleEnglish: roleEnglish) }
        }
        showTypes = parts("showTypes") { showType in
            let (group, name) = (text(showType, "showTypeGroupNm"), text(showType, "showTypeNm"))
            return (group ?? name).map { ShowType(group: $0, name: name) }
        }
        companies = parts("companys") { company in
            let (name, english) = (text(company, "companyNm"), text(company, "companyNmEn"))
            let (code, part) = (text(company, "companyCd"), text(company, "companyPartNm"))
            return (name ?? english).map { Company(code: code, name: $0, nameEnglish: english, part: part) }
        }
        ratings = parts("audits") { audit in
            let (number, grade) = (text(audit, "auditNo"), text(audit, "watchGradeNm"))
            return grade.map { Rating(number: number, grade: $0) }
        }
        staff = parts("staffs") { person in
            let (name, english) = names(person)
            let role = text(person, "staffRoleNm")
            return name.map { Staff(name: $0, nameEnglish: english, role: role) }
        }
    }
}
