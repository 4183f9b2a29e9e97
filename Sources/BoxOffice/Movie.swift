/// The facts about a film. Absent ones are nil or empty lists, never empty text.
public struct Movie: Hashable, Sendable, Codable {
    /// The film's code.
    public var code: MovieCode
    /// The Korean title, without blanks around it.
    public var title: String
    /// The English title.
    @Nullable public var titleEnglish: String?
    /// The title in the film's own language.
    @Nullable public var titleOriginal: String?
    /// The length in minutes.
    @Nullable public var runtimeMinutes: Int?
    /// The year it was made.
    @Nullable public var productionYear: Int?
    /// The opening day.
    @Nullable public var openDate: KoreanDate?
    /// How far it is (`개봉`, `개봉예정`).
    @Nullable public var status: String?
    /// What it is (`장편`, `단편`).
    @Nullable public var type: String?
    /// The nations it comes from.
    public var nations: [String]
    /// Its genres.
    public var genres: [String]
    /// Its directors.
    public var directors: [Director]
    /// Its actors.
    public var actors: [Actor]
    /// The forms it is shown in.
    public var showTypes: [ShowType]
    /// The companies behind it.
    public var companies: [Company]
    /// Who may watch it.
    public var ratings: [Rating]
    /// Who else worked on it.
    public var staff: [Staff]

    /// Makes a film of which only the code and the title are known.
    public init(code: MovieCode, title: String) {
        self.code = code
        self.title = title
        nations = []
        genres = []
        directors = []
        actors = []
        showTypes = []
        companies = []
        ratings = []
        staff = []
    }
}
