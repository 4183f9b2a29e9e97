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

    private static let nationWords = [
        "한국": "South Korea", "북한": "North Korea", "미국": "United States", "일본": "Japan", "중국": "China",
        "홍콩": "Hong Kong", "대만": "Taiwan", "영국": "United Kingdom", "프랑스": "France", "독일": "Germany",
        "서독": "West Germany",
        "이탈리아": "Italy", "스페인": "Spain", "포르투갈": "Portugal", "네덜란드": "Netherlands", "벨기에": "Belgium",
        "룩셈부르크": "Luxembourg", "스위스": "Switzerland", "오스트리아": "Austria", "아일랜드": "Ireland",
        "덴마크": "Denmark", "스웨덴": "Sweden", "노르웨이": "Norway", "핀란드": "Finland", "아이슬란드": "Iceland",
        "폴란드": "Poland", "체코": "Czechia", "체코슬로바키아": "Czechoslovakia", "슬로바키아": "Slovakia", "헝가리": "Hungary",
        "루마니아": "Romania", "불가리아": "Bulgaria", "그리스": "Greece", "크로아티아": "Croatia", "세르비아": "Serbia",
        "슬로베니아": "Slovenia", "보스니아": "Bosnia and Herzegovina", "마케도니아": "North Macedonia", "알바니아": "Albania",
        "유고슬라비아": "Yugoslavia", "에스토니아": "Estonia", "라트비아": "Latvia", "리투아니아": "Lithuania",
        "우크라이나": "Ukraine", "벨라루스": "Belarus", "러시아": "Russia", "소련": "Soviet Union", "조지아": "Georgia",
        "그루지야": "Georgia",
        "아르메니아": "Armenia", "아제르바이잔": "Azerbaijan", "카자흐스탄": "Kazakhstan", "우즈베키스탄": "Uzbekistan",
        "키르기스스탄": "Kyrgyzstan", "몽골": "Mongolia", "터키": "Türkiye", "튀르키예": "Türkiye", "키프로스": "Cyprus",
        "이스라엘": "Israel", "팔레스타인": "Palestine", "레바논": "Lebanon", "요르단": "Jordan", "시리아": "Syria", "이라크": "Iraq",
        "이란": "Iran", "사우디아라비아": "Saudi Arabia", "아랍에미리트": "United Arab Emirates", "카타르": "Qatar",
        "쿠웨이트": "Kuwait", "아프가니스탄": "Afghanistan", "파키스탄": "Pakistan", "인도": "India", "네팔": "Nepal", "부탄": "Bhutan",
        "방글라데시": "Bangladesh", "스리랑카": "Sri Lanka", "미얀마": "Myanmar", "태국": "Thailand", "베트남": "Vietnam",
        "라오스": "Laos", "캄보디아": "Cambodia", "말레이시아": "Malaysia", "싱가포르": "Singapore", "인도네시아": "Indonesia",
        "필리핀": "Philippines", "호주": "Australia", "뉴질랜드": "New Zealand", "캐나다": "Canada", "멕시코": "Mexico",
        "쿠바": "Cuba", "도미니카공화국": "Dominican Republic", "과테말라": "Guatemala", "코스타리카": "Costa Rica", "콜롬비아": "Colombia",
        "베네수엘라": "Venezuela", "에콰도르": "Ecuador", "페루": "Peru", "볼리비아": "Bolivia", "브라질": "Brazil",
        "파라과이": "Paraguay", "우루과이": "Uruguay", "아르헨티나": "Argentina", "칠레": "Chile", "이집트": "Egypt",
        "모로코": "Morocco", "알제리": "Algeria", "튀니지": "Tunisia", "리비아": "Libya", "세네갈": "Senegal", "말리": "Mali",
        "나이지리아": "Nigeria", "가나": "Ghana", "카메룬": "Cameroon", "에티오피아": "Ethiopia", "케냐": "Kenya",
        "우간다": "Uganda", "르완다": "Rwanda", "콩고": "Congo", "남아프리카공화국": "South Africa", "기타": "Other",
    ]

    private static let roleWords = [
        "제작": "Producer", "공동제작": "Co-producer", "프로듀서": "Producer", "라인프로듀서": "Line producer", "기획": "Planning",
        "기획진행": "Planning", "투자": "Investment", "제작관리": "Production management", "제작팀": "Production team",
        "제작회계": "Production accounting", "연출팀": "Directing team", "조감독": "Assistant director",
        "스크립터": "Script supervisor", "스토리보드": "Storyboard", "캐스팅": "Casting", "캐스팅디렉터": "Casting director",
        "로케이션매니저": "Location manager", "매니지먼트": "Management",
        "원작": "Original work", "스토리": "Story", "시나리오(각본)": "Screenplay", "각본": "Screenplay", "각색": "Adaptation",
        "윤색": "Script revision", "대사": "Dialogue", "스크립닥터": "Script doctor",
        "촬영": "Cinematography", "촬영팀": "Camera team", "카메라오퍼레이터": "Camera operator", "스테디캠": "Steadicam",
        "지미집": "Jib", "특수촬영": "Special photography", "촬영장비": "Camera equipment", "그립": "Grip",
        "스틸": "Still photography",
        "데이타매니저": "Data manager", "조명": "Lighting", "조명팀": "Lighting team", "조명장비": "Lighting equipment",
        "발전차": "Generator truck",
        "미술": "Art direction", "미술/프로덕션 디자인": "Production design", "아트디렉터": "Art director", "미술팀": "Art team",
        "세트": "Set", "세트팀": "Set team", "세트미술팀": "Set art team", "소품": "Props", "소품팀": "Props team",
        "특수소품": "Special props", "토목/조경": "Landscaping", "스튜디오": "Studio",
        "의상": "Costumes", "의상팀": "Costume team", "의상디자이너": "Costume designer", "특수의상": "Special costumes",
        "분장": "Make-up", "분장팀": "Make-up team", "특수분장": "Special make-up", "헤어": "Hair", "헤어팀": "Hair team",
        "액션/스턴트": "Stunts", "액션/스턴트팀": "Stunt team", "액션/스턴트코디네이터": "Stunt coordinator",
        "스턴트연기": "Stunt performer",
        "동시녹음": "Production sound", "동시녹음팀": "Production sound team", "붐오퍼레이터": "Boom operator",
        "케이블맨": "Cable operator", "사운드": "Sound", "사운드팀": "Sound team", "사운드디자이너": "Sound designer",
        "사운드믹싱": "Sound mixing", "사운드효과": "Sound effects", "폴리": "Foley",
        "음악": "Music", "음악진행": "Music coordination", "음악 믹싱/레코딩": "Music mixing and recording",
        "작사/작곡/편곡": "Lyrics, composition and arrangement",
        "편집": "Editing", "편집팀": "Editing team", "현장편집": "On-set editing", "DI팀": "Digital intermediate team",
        "아날로그색보정": "Photochemical colour grading", "현상팀": "Film laboratory", "타이틀": "Titles",
        "특수효과": "Special effects", "특수효과팀": "Special effects team", "시각효과": "Visual effects",
        "VFX 슈퍼바이저": "VFX supervisor", "VFX 매니지먼트": "VFX management", "VFX 아티스트": "VFX artist",
        "애니메이션팀": "Animation team",
        "배급진행": "Distribution", "홍보/마케팅 진행": "Publicity and marketing", "온라인마케팅": "Online marketing",
        "광고대행": "Advertising agency", "광고디자인": "Advertising design", "광고동영상": "Advertising video",
        "예고편": "Trailer", "메이킹필름": "Making-of", "포스터사진": "Poster photography", "인쇄": "Printing",
        "운송": "Transport", "특수차량": "Special vehicles", "식당차": "Catering truck", "분장차": "Make-up truck",
        "의상차": "Costume truck", "기타": "Other",
    ]
}
