/// An area of Korea, as the code list and the chart's filter name it.
struct Area: Sendable {
    let code: String
    let name: String
    let nameEnglish: String
    /// How many of a thousand admissions are bought here.
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
