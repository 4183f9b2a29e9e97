import BoxOffice

/// The answer to `searchMovieInfo`.
struct KobisMovie: Decodable {
    let movieInfoResult: Result

    struct Result: Decodable {
        /// The film; nil if its code is not known: then nothing is sent, or a film of which nothing is filled in.
        let movieInfo: KobisMovieInfo?

        private enum Key: String, CodingKey {
            case movieInfo
        }

        private struct Identity: Decodable {
            let movieCd: BlankableText?
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let identity = try container.decodeIfPresent(Identity.self, forKey: .movieInfo)
            let isFilm = identity?.movieCd?.value != nil
            movieInfo = isFilm ? try container.decode(KobisMovieInfo.self, forKey: .movieInfo) : nil
        }
    }
}

/// A film as it is sent: what is not known is an empty text.
struct KobisMovieInfo: Decodable {
    struct Nation: Decodable {
        let nationNm: BlankableText?
    }

    struct Genre: Decodable {
        let genreNm: BlankableText?
    }

    /// A director, an actor (`cast`) or somebody else (`staffRoleNm`).
    struct Person: Decodable {
        let peopleNm: BlankableText?
        let peopleNmEn: BlankableText?
        let cast: BlankableText?
        let castEn: BlankableText?
        let staffRoleNm: BlankableText?

        /// The name in Korean, or else in Latin letters.
        var name: String? { peopleNm?.value ?? peopleNmEn?.value }
    }

    struct ShowType: Decodable {
        let showTypeGroupNm: BlankableText?
        let showTypeNm: BlankableText?
    }

    struct Company: Decodable {
        let companyCd: BlankableText?
        let companyNm: BlankableText?
        let companyNmEn: BlankableText?
        let companyPartNm: BlankableText?
    }

    struct Audit: Decodable {
        let auditNo: BlankableText?
        let watchGradeNm: BlankableText?
    }

    let movieCd: MovieCode
    let movieNm: Title
    let movieNmEn: BlankableText?
    let movieNmOg: BlankableText?
    let showTm: WholeNumber?
    let prdtYear: WholeNumber?
    let openDt: BlankableDate?
    let prdtStatNm: BlankableText?
    let typeNm: BlankableText?
    let nations: [Nation]?
    let genres: [Genre]?
    let directors: [Person]?
    let actors: [Person]?
    let showTypes: [ShowType]?
    let companys: [Company]?
    let audits: [Audit]?
    let staffs: [Person]?
}
