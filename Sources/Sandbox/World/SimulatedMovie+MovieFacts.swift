import BoxOffice

extension SimulatedMovie {
    /// The film's facts, as full of gaps as real ones.
    var facts: MovieFacts {
        var dice = dice(for: .facts)
        var facts = MovieFacts()
        let isKnown = !isDiverse || dice.chance(0.6)
        if isKnown || dice.chance(0.8) { facts.minutes = String(dice.integer(in: isDiverse ? 62...135 : 88...168)) }
        let made = opening.year - (dice.chance(0.6) ? 0 : dice.integer(in: 1...3))
        if dice.chance(0.98) { facts.year = String(made) }
        if isDiverse, dice.chance(0.08) { facts.type = dice.pick(["단편", "옴니버스"]) }
        let nation = isKorean ? "한국" : dice.pick(["미국", "미국", "미국", "일본", "일본", "영국", "프랑스", "중국", "독일", "인도", "덴마크"])
        facts.nations = [nation] + (dice.chance(0.12) ? [nation == "프랑스" ? "벨기에" : "프랑스"] : [])
        let genres = ["드라마", "스릴러", "코미디", "액션", "멜로/로맨스", "애니메이션", "공포(호러)", "SF", "범죄", "다큐멘터리", "사극", "미스터리"]
        let genre = dice.pick(genres)
        facts.genres = [genre] + (dice.chance(0.5) ? [dice.pick(genres.filter { $0 != genre })] : [])
        if !isKorean, dice.chance(0.3) { facts.titleOriginal = titleEnglish }
        if isKnown || dice.chance(0.3) {
            for _ in 0..<(dice.chance(0.93) ? 1 : 2) {
                facts.directors.append(Person(isKorean: isKorean, dice: &dice))
            }
        }
        if isKnown, dice.chance(0.8) {
            for index in 0..<dice.integer(in: isDiverse ? 1...6 : 3...24) {
                let isNamed = index < 5 && dice.chance(0.4)
                let part = Person(isKorean: isKorean, dice: &dice)
                facts.actors.append(
                    MovieFacts.Role(
                        person: Person(isKorean: isKorean, dice: &dice), cast: isNamed ? part.name : "",
                        castEnglish: isNamed ? part.nameEnglish : ""))
            }
        }
        facts.showTypes = [("2D", "디지털")] + (dice.chance(0.15) ? [("IMAX", "IMAX 2D"), ("4D", "4D")] : [])
        facts.companies = Self.companies(isKorean: isKorean, dice: &dice)
        facts.audits = audits(&dice)
        if isKorean, dice.chance(0.35) {
            for role in ["제작", "각본", "촬영", "조명", "편집", "음악", "미술", "동시녹음", "의상", "분장"] {
                for _ in 0..<dice.integer(in: 1...4) {
                    facts.staff.append(MovieFacts.Staff(person: Person(isKorean: true, dice: &dice), role: role))
                }
            }
        }
        return facts
    }

    private static func companies(
        isKorean: Bool, dice: inout SeededRandom
    ) -> [(code: String, name: String, nameEnglish: String, part: String)] {
        let names = [
            ("(주)달마루픽쳐스", "Dalmaru Pictures"), ("은하수배급(주)", "Milky Way Distribution"), ("솔내필름", "Solnae Film"),
            ("(주)가온스튜디오", ""), ("고래만엔터테인먼트", "Whale Bay Entertainment"), ("(주)일곱번째의자", "The Seventh Chair"),
        ]
        return (isKorean ? ["제작사", "배급사"] : ["배급사", "수입사"]).map { part in
            let index = dice.integer(in: 0...names.count - 1)
            return ("2009\(3100 + index * 7)", names[index].0, names[index].1, part)
        }
    }

    /// The decisions on who may watch: none, one, or one for each version; the number often ends in a blank.
    private func audits(_ dice: inout SeededRandom) -> [(number: String, grade: String)] {
        let count = dice.chance(0.05) ? 0 : dice.chance(0.06) ? 2 : 1
        return (0..<count).map { _ in
            let number = String(dice.integer(in: 100...2999))
            let padded = String(repeating: "0", count: 5 - number.count) + number
            let grade = dice.pick(["전체관람가", "12세이상관람가", "15세이상관람가", "15세이상관람가", "청소년관람불가"])
            return ("\(opening.year)-MF\(padded)" + (dice.chance(0.5) ? " " : ""), grade)
        }
    }
}
