import BoxOffice

extension KobisMovieInfo {
    /// The film in the domain's words; parts without a name are left out.
    var movie: Movie {
        var movie = Movie(code: movieCd, title: movieNm.value)
        movie.titleEnglish = movieNmEn?.value
        movie.titleOriginal = movieNmOg?.value
        movie.runtimeMinutes = showTm?.value
        movie.productionYear = prdtYear?.value
        movie.openDate = openDt?.value
        movie.status = prdtStatNm?.value
        movie.type = typeNm?.value
        movie.nations = (nations ?? []).compactMap { $0.nationNm?.value }
        movie.genres = (genres ?? []).compactMap { $0.genreNm?.value }
        movie.directors = (directors ?? []).compactMap(\.director)
        movie.actors = (actors ?? []).compactMap(\.actor)
        movie.showTypes = (showTypes ?? []).compactMap(\.showType)
        movie.companies = (companys ?? []).compactMap(\.company)
        movie.ratings = (audits ?? []).compactMap(\.rating)
        movie.staff = (staffs ?? []).compactMap(\.staff)
        return movie
    }
}

extension KobisMovieInfo.Person {
    fileprivate var director: Movie.Director? {
        name.map { Movie.Director(name: $0, nameEnglish: peopleNmEn?.value) }
    }

    fileprivate var actor: Movie.Actor? {
        name.map {
            Movie.Actor(name: $0, nameEnglish: peopleNmEn?.value, role: cast?.value, roleEnglish: castEn?.value)
        }
    }

    fileprivate var staff: Movie.Staff? {
        name.map { Movie.Staff(name: $0, nameEnglish: peopleNmEn?.value, role: staffRoleNm?.value) }
    }
}

extension KobisMovieInfo.ShowType {
    fileprivate var showType: Movie.ShowType? {
        (showTypeGroupNm?.value ?? showTypeNm?.value).map { Movie.ShowType(group: $0, name: showTypeNm?.value) }
    }
}

extension KobisMovieInfo.Company {
    fileprivate var company: Movie.Company? {
        (companyNm?.value ?? companyNmEn?.value).map {
            Movie.Company(
                code: companyCd?.value, name: $0, nameEnglish: companyNmEn?.value, part: companyPartNm?.value)
        }
    }
}

extension KobisMovieInfo.Audit {
    fileprivate var rating: Movie.Rating? {
        watchGradeNm?.value.map { Movie.Rating(number: auditNo?.value, grade: $0) }
    }
}
