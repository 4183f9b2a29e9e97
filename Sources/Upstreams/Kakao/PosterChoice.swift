import BoxOffice

/// The choice among the hits of the searches for one movie's poster. It fetches nothing; ``PosterFinder`` does.
struct PosterChoice {
    /// A candidate whose page was read and not rejected.
    struct Hit {
        let candidate: ImageCandidate
        let evidence: PosterEvidence
    }

    /// The candidates of the last search whose pages are to be read, most promising first.
    private(set) var candidates: [ImageCandidate] = []

    private let subject: PosterSubject
    private var query = ""
    private var searches = 0
    private var seen: Set<String?> = []
    private var rejected: [Poster.Match.Rejection.Reason: Int] = [:]
    /// Hits about the movie whose image cannot be fetched.
    private var withoutImage: [Hit] = []
    private var titleOnly: [Hit] = []
    private var hasNamesake = false

    init(_ subject: PosterSubject) {
        self.subject = subject
    }

    /// Takes the hits of a search.
    mutating func begin(_ query: String, _ hits: [ImageCandidate]) {
        self.query = query
        searches += 1
        var usable: [ImageCandidate] = []
        for hit in hits where seen.insert(hit.imageURL).inserted {
            if hit.size?.isPoster == false {
                reject(.shape)
            } else if let year = hit.year, let first = subject.years.first, year < first - Self.yearsAhead {
                reject(.tooOld)
            } else {
                usable.append(hit)
            }
        }
        // Databases of films first; the order of the search decides between equals.
        candidates = usable.filter(\.isFromFilmDatabase) + usable.filter { !$0.isFromFilmDatabase }
    }

    /// Compares a candidate's page with the movie, and returns the hit if its image can be used at once.
    mutating func judge(_ candidate: ImageCandidate, _ page: PosterPage) -> Hit? {
        let hit = Hit(candidate: candidate, evidence: PosterEvidence(of: page, about: subject))
        hasNamesake = hasNamesake || hit.evidence.isNamesake
        switch hit.evidence.verdict {
        case .confirmed: return hit
        case .titleOnly: titleOnly.append(hit)
        case .rejected(let reason): reject(reason)
        }
        return nil
    }

    /// Counts a hit that is not used.
    mutating func reject(_ reason: Poster.Match.Rejection.Reason) {
        rejected[reason, default: 0] += 1
    }

    /// Counts a hit whose image cannot be fetched; its thumbnail may still do.
    mutating func reject(_ reason: Poster.Match.Rejection.Reason, of hit: Hit) {
        reject(reason)
        withoutImage.append(hit)
    }

    /// What is left to try, in order. Where another movie of the title is known, the title alone is not enough.
    var otherHits: [(hit: Hit, usesThumbnail: Bool)] {
        let sure = withoutImage.map { (hit: $0, usesThumbnail: true) }
        guard !hasNamesake else { return sure }
        return sure + titleOnly.map { (hit: $0, usesThumbnail: false) }
            + titleOnly.map { (hit: $0, usesThumbnail: true) }
    }

    /// Returns the poster with the chosen image.
    func poster(of movie: Movie, _ image: Poster.Image, _ hit: Hit) -> Poster {
        let result: Poster.Match.Result = hit.evidence.verdict == .confirmed ? .confirmed : .titleOnly
        return poster(of: movie, image, result, hit.evidence)
    }

    /// Returns the poster without an image.
    func poster(of movie: Movie) -> Poster {
        poster(of: movie, nil, .none, nil)
    }

    private func poster(
        of movie: Movie, _ image: Poster.Image?, _ result: Poster.Match.Result, _ evidence: PosterEvidence?
    ) -> Poster {
        var rejected = rejected
        if image == nil, !titleOnly.isEmpty {
            rejected[hasNamesake ? .unconfirmed : .noImage, default: 0] += titleOnly.count
        }
        let match = Poster.Match(
            result: result, searches: searches, pageTitle: evidence?.pageTitle, compared: evidence?.compared ?? [],
            rejected: Poster.Match.Rejection.Reason.allCases.compactMap { reason in
                rejected[reason].map { Poster.Match.Rejection(reason, count: $0) }
            })
        return Poster(code: movie.code, title: subject.title, query: query, image: image, match: match)
    }

    /// Number of years before its production in which a page can have a movie's first poster.
    private static let yearsAhead = 2
}

extension ImageCandidate.Size {
    /// Whether an image of this size can be a poster: those of Korean releases are some 1.4 times as high as wide.
    var isPoster: Bool { (1.2...1.65).contains(Double(height) / Double(width)) }
}

extension ImageCandidate {
    /// Whether the page belongs to a database of films, which keeps one page for each.
    fileprivate var isFromFilmDatabase: Bool {
        guard let host = pageURL.flatMap(WebAddress.init)?.host else { return false }
        return ["movie.daum.net", "kobis.or.kr", "kmdb.or.kr", "cine21.com"].contains {
            host == $0 || host.hasSuffix("." + $0)
        }
    }
}
