public import JSONCoding

/// The facts about a movie. Unknown facts are nil or empty lists, never empty text.
public struct Movie: Hashable, Sendable, Codable {
    /// The movie's code.
    public var code: MovieCode
    /// The Korean title, without blanks around it.
    public var title: String
    /// The English title.
    @Nullable public var titleEnglish: String?
    /// The title in the movie's original language.
    @Nullable public var titleOriginal: String?
    /// The length in minutes.
    @Nullable public var runtimeMinutes: Int?
    /// The year it was made.
    @Nullable public var productionYear: Int?
    /// The opening day.
    @Nullable public var openDate: KoreanDate?
    /// The release status (`개봉`, `개봉예정`).
    @Nullable public var status: String?
    /// The type (`장편`, `단편`).
    @Nullable public var type: String?
    /// The nations of production.
    public var nations: [String] = []
    /// Its genres.
    public var genres: [String] = []
    /// Its directors.
    public var directors: [Director] = []
    /// Its actors.
    public var actors: [Actor] = []
    /// The formats in which it is shown.
    public var showTypes: [ShowType] = []
    /// The companies involved.
    public var companies: [Company] = []
    /// The age ratings.
    public var ratings: [Rating] = []
    /// Other staff.
    public var staff: [Staff] = []

    /// The years in which movies can have been made; the first films are of the 1880s.
    public static let years = 1880...2200

    /// Makes a movie of which only the code and the title are known.
    public init(code: MovieCode, title: String) {
        self.code = code
        self.title = title
    }

    /// A director.
    public struct Director: Hashable, Sendable, Codable {
        /// The name in Korean.
        public var name: String
        /// The name in Latin letters.
        @Nullable public var nameEnglish: String?

        /// Makes the value.
        public init(name: String, nameEnglish: String? = nil) {
            self.name = name
            self.nameEnglish = nameEnglish
        }
    }

    /// An actor and the part played.
    public struct Actor: Hashable, Sendable, Codable {
        /// The name in Korean.
        public var name: String
        /// The name in Latin letters.
        @Nullable public var nameEnglish: String?
        /// The part played.
        @Nullable public var role: String?
        /// The part played, in English.
        @Nullable public var roleEnglish: String?

        /// Makes the value.
        public init(name: String, nameEnglish: String? = nil, role: String? = nil, roleEnglish: String? = nil) {
            self.name = name
            self.nameEnglish = nameEnglish
            self.role = role
            self.roleEnglish = roleEnglish
        }
    }

    /// A format in which the movie is shown.
    public struct ShowType: Hashable, Sendable, Codable {
        /// The group of formats (`2D`, `IMAX`).
        public var group: String
        /// The format (`디지털`).
        @Nullable public var name: String?

        /// Makes the value.
        public init(group: String, name: String? = nil) {
            self.group = group
            self.name = name
        }
    }

    /// A company involved in the movie.
    public struct Company: Hashable, Sendable, Codable {
        /// The council's code of the company.
        @Nullable public var code: String?
        /// The name in Korean.
        public var name: String
        /// The name in English.
        @Nullable public var nameEnglish: String?
        /// The company's part (`배급사`).
        @Nullable public var part: String?

        /// Makes the value.
        public init(code: String? = nil, name: String, nameEnglish: String? = nil, part: String? = nil) {
            self.code = code
            self.name = name
            self.nameEnglish = nameEnglish
            self.part = part
        }
    }

    /// An age rating.
    public struct Rating: Hashable, Sendable, Codable {
        /// The decision's number.
        @Nullable public var number: String?
        /// The grade (`15세이상관람가`).
        public var grade: String

        /// Makes the value.
        public init(number: String? = nil, grade: String) {
            self.number = number
            self.grade = grade
        }
    }

    /// Another member of the staff.
    public struct Staff: Hashable, Sendable, Codable {
        /// The name in Korean.
        public var name: String
        /// The name in Latin letters.
        @Nullable public var nameEnglish: String?
        /// The person's role.
        @Nullable public var role: String?

        /// Makes the value.
        public init(name: String, nameEnglish: String? = nil, role: String? = nil) {
            self.name = name
            self.nameEnglish = nameEnglish
            self.role = role
        }
    }
}

// MARK: - Code and name

/// The Korean Film Council's code of a movie: eight characters, digits and capital letters (`20234675`, `2022B512`).
public struct MovieCode: Hashable, Sendable, StringRepresentable {
    /// The code as it is written.
    public let description: String

    /// Makes a code, or nil if the text is not one.
    public init?(_ text: some StringProtocol) {
        let isCode = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        }
        guard isCode, text.utf8.count == 8 else { return nil }
        description = String(text)
    }

    /// The noun in error texts.
    public static let noun = "movie code"
}

/// A movie as a chart names it, which may be as another one is named.
public struct NamedMovie: Hashable, Sendable {
    /// The movie's code.
    public let code: MovieCode
    /// The title.
    public let title: String
    /// The opening day.
    public let openDate: KoreanDate?

    /// Makes a named movie.
    public init(code: MovieCode, title: String, openDate: KoreanDate?) {
        self.code = code
        self.title = title
        self.openDate = openDate
    }

    /// Makes the movie of a chart's entry.
    public init(_ entry: ChartEntry) {
        self.init(code: entry.movieCode, title: entry.title, openDate: entry.openDate)
    }

    /// Whether two codes stand for one movie: the source corrects codes, and no two movies of one title open on one day.
    public func isSameMovie(as other: NamedMovie) -> Bool {
        code == other.code || title == other.title && openDate != nil && openDate == other.openDate
    }

    /// Returns the title, with what tells the movie from those of `others` that have the same: `괴물 (2006)`.
    ///
    /// That is the year of its opening; if another one opened in that year, the day; if on that day, or if the day is not
    /// known, its code.
    public func distinctTitle(among others: some Sequence<NamedMovie>) -> String {
        let namesakes = others.filter { $0.code != code && $0.title == title }
        guard !namesakes.isEmpty else { return title }
        guard let openDate, !namesakes.contains(where: { $0.openDate == openDate }) else { return "\(title) (\(code))" }
        let isYearShared = namesakes.contains { $0.openDate?.year == openDate.year }
        return isYearShared ? "\(title) (\(openDate))" : "\(title) (\(openDate.year))"
    }
}
