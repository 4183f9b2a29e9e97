import BoxOffice
import JSONCoding

extension SimulatedMovie {
    func info(as publishedView: PublishedView) -> OrderedObject {
        let facts = facts
        return [
            "movieCd": code, "movieNm": title, "movieNmEn": titleEnglish, "movieNmOg": facts.titleOriginal,
            "showTm": facts.minutes, "prdtYear": facts.year, "openDt": hidesOpening ? "" : opening.compact,
            "prdtStatNm": publishedView.hasOpened(self) ? "개봉" : "개봉예정", "typeNm": facts.type,
            "nations": facts.nations, "genres": facts.genres, "directors": facts.directors.map(\.object),
            "actors": facts.actors, "showTypes": facts.showTypes, "companys": facts.companies,
            "audits": facts.audits, "staffs": facts.staff,
        ]
    }

    var facts: SimulatedFacts {
        var random = random(for: .facts)
        var facts = SimulatedFacts()
        let isKnown = !isDiverse || random.chance(0.6)
        if isKnown || random.chance(0.8) { facts.minutes = String(random.integer(in: isDiverse ? 62...135 : 88...168)) }
        let made = opening.year - (random.chance(0.6) ? 0 : random.integer(in: 1...3))
        if random.chance(0.98) { facts.year = String(made) }
        if isDiverse, random.chance(0.08) { facts.type = random.pick(["단편", "옴니버스"]) }
        let nation =
            isKorean ? "한국" : random.pick(["미국", "미국", "미국", "일본", "일본", "영국", "프랑스", "중국", "독일", "인도", "덴마크"])
        let nations = [nation] + (random.chance(0.12) ? [nation == "프랑스" ? "벨기에" : "프랑스"] : [])
        facts.nations = nations.map { ["nationNm": $0] }
        let genres = ["드라마", "스릴러", "코미디", "액션", "멜로/로맨스", "애니메이션", "공포(호러)", "SF", "범죄", "다큐멘터리", "사극", "미스터리"]
        let genre = random.pick(genres)
        let chosen = [genre] + (random.chance(0.5) ? [random.pick(genres.filter { $0 != genre })] : [])
        facts.genres = chosen.map { ["genreNm": $0] }
        if !isKorean, random.chance(0.3) { facts.titleOriginal = titleEnglish }
        if isKnown || random.chance(0.3) {
            for _ in 0..<(random.chance(0.93) ? 1 : 2) {
                facts.directors.append(Person(isKorean: isKorean, random: &random))
            }
        }
        if isKnown, random.chance(0.8) {
            for index in 0..<random.integer(in: isDiverse ? 1...6 : 3...24) {
                let isNamed = index < 5 && random.chance(0.4)
                let part = Person(isKorean: isKorean, random: &random)
                var actor = Person(isKorean: isKorean, random: &random).object
                actor.append(["cast": isNamed ? part.name : "", "castEn": isNamed ? part.nameEnglish : ""])
                facts.actors.append(actor)
            }
        }
        let showTypes = [("2D", "디지털")] + (random.chance(0.15) ? [("IMAX", "IMAX 2D"), ("4D", "4D")] : [])
        facts.showTypes = showTypes.map { ["showTypeGroupNm": $0, "showTypeNm": $1] }
        facts.companies = Self.companies(isKorean: isKorean, random: &random)
        facts.audits = audits(&random)
        if isKorean, random.chance(0.35) {
            for role in ["제작", "각본", "촬영", "조명", "편집", "음악", "미술", "동시녹음", "의상", "분장"] {
                for _ in 0..<random.integer(in: 1...4) {
                    var person = Person(isKorean: true, random: &random).object
                    person.append(["staffRoleNm": role])
                    facts.staff.append(person)
                }
            }
        }
        return facts
    }

    private static func companies(isKorean: Bool, random: inout SeededRandom) -> [OrderedObject] {
        let names = [
            ("(주)달마루픽쳐스", "Dalmaru Pictures"), ("은하수배급(주)", "Milky Way Distribution"), ("솔내필름", "Solnae Film"),
            ("(주)가온스튜디오", ""), ("고래만엔터테인먼트", "Whale Bay Entertainment"), ("(주)일곱번째의자", "The Seventh Chair"),
        ]
        return (isKorean ? ["제작사", "배급사"] : ["배급사", "수입사"]).map { part in
            let index = random.integer(in: 0...names.count - 1)
            let (name, nameEnglish) = names[index]
            return [
                "companyCd": "2009\(3100 + index * 7)", "companyNm": name, "companyNmEn": nameEnglish,
                "companyPartNm": part,
            ]
        }
    }

    /// Returns the rating decisions: none, one, or one for each version. The number often ends with a space.
    private func audits(_ random: inout SeededRandom) -> [OrderedObject] {
        let count = random.chance(0.05) ? 0 : random.chance(0.06) ? 2 : 1
        return (0..<count).map { _ in
            let number = String(random.integer(in: 100...2999))
            let padded = String(repeating: "0", count: 5 - number.count) + number
            let grade = random.pick(["전체관람가", "12세이상관람가", "15세이상관람가", "15세이상관람가", "청소년관람불가"])
            let space = random.chance(0.5) ? " " : ""
            return ["auditNo": "\(opening.year)-MF\(padded)\(space)", "watchGradeNm": grade]
        }
    }
}

/// The facts about a movie besides its figures.
struct SimulatedFacts {
    var titleOriginal = ""
    var minutes = ""
    var year = ""
    var type = "장편"
    var directors: [Person] = []
    // These are in the service's format.
    var nations: [OrderedObject] = []
    var genres: [OrderedObject] = []
    var actors: [OrderedObject] = []
    var showTypes: [OrderedObject] = []
    var companies: [OrderedObject] = []
    var audits: [OrderedObject] = []
    var staff: [OrderedObject] = []
}

struct Person {
    let name: String
    let nameEnglish: String

    var object: OrderedObject { ["peopleNm": name, "peopleNmEn": nameEnglish] }

    init(isKorean: Bool, random: inout SeededRandom) {
        let (family, familyEnglish) = random.pick(isKorean ? Self.koreanFamilies : Self.foreignFamilies)
        let (given, givenEnglish) = random.pick(isKorean ? Self.koreanNames : Self.foreignNames)
        name = isKorean ? family + given : "\(given) \(family)"
        // The English name is missing for a third, and in capitals for a few.
        let english = "\(givenEnglish) \(familyEnglish)"
        let quality = random.unit()
        nameEnglish = quality < 0.33 ? "" : quality < 0.4 ? english.uppercased() : english
    }

    private static let koreanFamilies = [
        ("강", "KANG"), ("고", "KO"), ("권", "KWON"), ("남", "NAM"), ("노", "ROH"), ("도", "DO"), ("류", "RYU"),
        ("맹", "MAENG"),
        ("민", "MIN"), ("방", "BANG"), ("서", "SEO"), ("설", "SEOL"), ("심", "SHIM"), ("엄", "UM"), ("옥", "OK"),
        ("제갈", "JEGAL"),
        ("차", "CHA"), ("채", "CHAE"), ("탁", "TAK"), ("피", "PI"), ("하", "HA"), ("함", "HAM"), ("황보", "HWANGBO"),
    ]

    private static let koreanNames = [
        ("가람", "Ga-ram"), ("겨울", "Gyeo-ul"), ("나래", "Na-rae"), ("다온", "Da-on"), ("도담", "Do-dam"), ("두리", "Du-ri"),
        ("라온", "Ra-on"), ("마루", "Ma-ru"), ("미르", "Mi-reu"), ("바름", "Ba-reum"), ("보람", "Bo-ram"), ("새벽", "Sae-byeok"),
        ("서리", "Seo-ri"), ("소담", "So-dam"), ("아라", "A-ra"), ("여울", "Yeo-ul"), ("은솔", "Eun-sol"), ("이든", "I-deun"),
        ("잔디", "Jan-di"), ("초롱", "Cho-rong"), ("하늬", "Ha-nui"), ("한별", "Han-byeol"), ("해담", "Hae-dam"),
        ("슬옹", "Seul-ong"),
    ]

    private static let foreignFamilies = [
        ("브렌모어", "Brenmoor"), ("카스트렐", "Castrel"), ("도른하임", "Dornheim"), ("에스켈런드", "Eskelund"), ("파벨리", "Favelli"),
        ("가르멘디", "Garmendi"), ("하세누마", "Hasenuma"), ("이베르손", "Iversohn"), ("코르빈스키", "Korvinski"), ("라슈망", "Lachemand"),
        ("미나즈키", "Minazuki"), ("오라벡", "Oravec"), ("펜홀로", "Penhollow"), ("산드로발", "Sandroval"), ("토르발리", "Torvali"),
        ("윈들섬", "Windlesom"),
    ]

    private static let foreignNames = [
        ("아델린", "Adeline"), ("바스티안", "Bastian"), ("콜레트", "Colette"), ("데지레", "Desiree"), ("엘리아스", "Elias"),
        ("피오나", "Fiona"), ("군나르", "Gunnar"), ("히나타", "Hinata"), ("이소벨", "Isobel"), ("줄리언", "Julian"), ("카이토", "Kaito"),
        ("루도빅", "Ludovic"), ("마르타", "Marta"), ("니코", "Nico"), ("오필리", "Ophelie"), ("로완", "Rowan"),
    ]
}
