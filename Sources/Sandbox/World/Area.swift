/// An area of Korea, with its code in the code list and in the chart filter.
struct Area: Sendable {
    let code: String
    let name: String
    let nameEnglish: String
    /// The share of the audience in this area, in thousandths.
    let weight: Int

    static let all = [
        Area(code: "0105001", name: "서울시", nameEnglish: "Seoul", weight: 262),
        Area(code: "0105002", name: "경기도", nameEnglish: "Gyeonggi-do", weight: 236),
        Area(code: "0105003", name: "강원도", nameEnglish: "Gangwon-do", weight: 25),
        Area(code: "0105004", name: "충청북도", nameEnglish: "Chungcheongbuk-do", weight: 28),
        Area(code: "0105005", name: "충청남도", nameEnglish: "Chungcheongnam-do", weight: 35),
        Area(code: "0105006", name: "경상북도", nameEnglish: "Gyeongsangbuk-do", weight: 38),
        Area(code: "0105007", name: "경상남도", nameEnglish: "Gyeongsangnam-do", weight: 54),
        Area(code: "0105008", name: "전라북도", nameEnglish: "Jeollabuk-do", weight: 31),
        Area(code: "0105009", name: "전라남도", nameEnglish: "Jeollanam-do", weight: 27),
        Area(code: "0105010", name: "제주도", nameEnglish: "Jeju-do", weight: 12),
        Area(code: "0105011", name: "부산시", nameEnglish: "Busan", weight: 70),
        Area(code: "0105012", name: "대구시", nameEnglish: "Daegu", weight: 55),
        Area(code: "0105013", name: "대전시", nameEnglish: "Daejeon", weight: 34),
        Area(code: "0105014", name: "울산시", nameEnglish: "Ulsan", weight: 20),
        Area(code: "0105015", name: "인천시", nameEnglish: "Incheon", weight: 43),
        Area(code: "0105016", name: "광주시", nameEnglish: "Gwangju", weight: 34),
        Area(code: "0105017", name: "세종시", nameEnglish: "Sejong", weight: 6),
    ]
}

/// An area's share of a movie's audience.
///
/// It is an interval of the whole, so that the parts of all areas add up exactly to the whole.
struct AreaShare: Sendable {
    let lower: Int
    let upper: Int
    let whole: Int

    /// The share of the whole country.
    static let country = AreaShare(lower: 0, upper: 1, whole: 1)

    /// Returns the part of `number` that belongs to the area.
    func part(of number: Int) -> Int {
        number * upper / whole - number * lower / whole
    }
}

extension SimulatedMovie {
    /// Returns the share of an area; it differs from movie to movie. Returns nil if the area does not exist.
    func areaShare(code: String?) -> AreaShare? {
        guard let code else { return .country }
        var random = random(for: .areas)
        var bounds: (lower: Int, upper: Int)?
        var sum = 0
        for area in Area.all {
            let weight = area.weight * random.integer(in: 60...140)
            if area.code == code { bounds = (sum, sum + weight) }
            sum += weight
        }
        return bounds.map { AreaShare(lower: $0.lower, upper: $0.upper, whole: sum) }
    }
}
