extension Market {
    /// An area and what it is called.
    public struct NamedArea: Hashable, Sendable {
        /// The area.
        public let area: Area
        /// The name in Korean.
        public let name: String
        /// The name in Latin letters, if it has one.
        public let nameEnglish: String?

        /// Makes the pair.
        public init(area: Area, name: String, nameEnglish: String?) {
            self.area = area
            self.name = name
            self.nameEnglish = nameEnglish
        }
    }

    /// The areas that the council has had for years, for whoever cannot or need not ask for its list.
    public static let areas: [NamedArea] = [
        ("0105001", "서울시", "Seoul"), ("0105002", "경기도", "Gyeonggi-do"), ("0105003", "강원도", "Gangwon-do"),
        ("0105004", "충청북도", "Chungcheongbuk-do"), ("0105005", "충청남도", "Chungcheongnam-do"),
        ("0105006", "경상북도", "Gyeongsangbuk-do"), ("0105007", "경상남도", "Gyeongsangnam-do"),
        ("0105008", "전라북도", "Jeollabuk-do"), ("0105009", "전라남도", "Jeollanam-do"), ("0105010", "제주도", "Jeju-do"),
        ("0105011", "부산시", "Busan"), ("0105012", "대구시", "Daegu"), ("0105013", "대전시", "Daejeon"),
        ("0105014", "울산시", "Ulsan"), ("0105015", "인천시", "Incheon"), ("0105016", "광주시", "Gwangju"),
        ("0105017", "세종시", "Sejong"),
    ].compactMap { code, name, nameEnglish in
        Area(code).map { NamedArea(area: $0, name: name, nameEnglish: nameEnglish) }
    }
}
