/// The Korean Film Council's closed vocabularies, and their words in English.
///
/// The council answers in Korean alone. A word that is not listed stays as it is: the council adds words now and then.
public enum MovieVocabulary: String, CaseIterable, Sendable {
    /// The grades of ``Movie/Rating``.
    case ratings
    /// ``Movie/genres``.
    case genres
    /// ``Movie/nations``.
    case nations
    /// The parts of ``Movie/Company``.
    case parts
    /// The roles of ``Movie/Staff``.
    case roles
    /// The groups and names of ``Movie/ShowType``.
    case showTypes
    /// ``Movie/type``.
    case types
    /// ``Movie/status``.
    case statuses

    /// Returns the English word; the Korean one if none is listed.
    public func english(_ korean: String) -> String {
        words[korean] ?? korean
    }

    /// The English words by the Korean ones.
    public var words: [String: String] {
        switch self {
        case .ratings: Self.ratingWords
        case .genres: Self.genreWords
        case .nations: Self.nationWords
        case .parts: Self.partWords
        case .roles: Self.roleWords
        case .showTypes: Self.showTypeWords
        case .types: Self.typeWords
        case .statuses: Self.statusWords
        }
    }

    // Old grades, too: the charts begin in 2003.
    private static let ratingWords = [
        "전체관람가": "All ages", "모든 관람객이 관람할 수 있는 등급": "All ages", "연소자관람가": "All ages",
        "12세관람가": "12 and over", "12세이상관람가": "12 and over", "중학생이상관람가": "12 and over",
        "15세관람가": "15 and over", "15세이상관람가": "15 and over", "고등학생이상관람가": "15 and over",
        "18세관람가": "18 and over", "청소년관람불가": "18 and over", "연소자관람불가": "18 and over",
        "미성년자관람불가": "18 and over", "제한상영가": "Restricted screening",
    ]

    private static let genreWords = [
        "드라마": "Drama", "코미디": "Comedy", "액션": "Action", "멜로/로맨스": "Romance", "스릴러": "Thriller",
        "미스터리": "Mystery", "공포(호러)": "Horror", "어드벤처": "Adventure", "범죄": "Crime", "가족": "Family",
        "판타지": "Fantasy", "SF": "Science fiction", "서부극(웨스턴)": "Western", "사극": "Historical",
        "애니메이션": "Animation", "다큐멘터리": "Documentary", "전쟁": "War", "뮤지컬": "Musical", "공연": "Performance",
        "성인물(에로)": "Adult", "기타": "Other",
    ]

    private static let partWords = [
        "제작사": "Production", "공동제작사": "Co-production", "제공": "Presented by", "공동제공": "Co-presented by",
        "배급사": "Distribution", "공동배급사": "Co-distribution", "수입사": "Import", "해외세일즈사": "International sales",
        "가치봄 제작처": "Accessible version", "투자사": "Investment", "마케팅사": "Marketing",
    ]

    private static let showTypeWords = [
        "필름": "35 mm", "디지털": "Digital", "디지털 4K": "Digital 4K", "디지털 더빙": "Digital, dubbed",
        "디지털 영문자막": "Digital, English subtitles", "디지털 일어자막": "Digital, Japanese subtitles",
        "디지털 중국어자막": "Digital, Chinese subtitles", "디지털 베트남어": "Digital, Vietnamese",
        "디지털 한글자막 CC": "Digital, Korean captions", "디지털 가치봄": "Digital, accessible version",
        "디지털 수화": "Digital, sign language", "청각장애인용 자막": "Captions for the deaf", "3D 디지털": "Digital 3D",
        "3D 더빙": "3D, dubbed", "4D 더빙": "4D, dubbed", "IMAX 더빙": "IMAX, dubbed", "DOLBYCINEMA": "Dolby Cinema",
        "DOLBYCINEMA 3D": "Dolby Cinema 3D", "DOLBYCINEMA 더빙": "Dolby Cinema, dubbed",
    ]

    private static let typeWords = [
        "장편": "Feature", "단편": "Short", "옴니버스": "Anthology", "온라인전용": "Online only", "기타": "Other",
    ]

    private static let statusWords = [
        "개봉": "Released", "개봉예정": "Upcoming", "개봉준비": "In preparation", "촬영진행": "In production",
        "촬영준비": "Pre-production", "후반작업": "Post-production", "제작중단": "Production halted", "기타": "Other",
    ]
}
