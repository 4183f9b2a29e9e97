extension SimulatedMovie {
    /// The Korean title as the service has it, with the odd blank, tab or no-break space that nobody tidied up.
    var title: String {
        var dice = dice(for: .title).branch(1)
        let title = plainTitle
        switch dice.unit() {
        case ..<0.015: return title + " "
        case ..<0.02: return " " + title
        case ..<0.027: return title + "\t"
        case ..<0.034: return title + "\u{A0}"
        case ..<0.04: return title.replacing(" ", with: "\u{A0}")
        default: return title
        }
    }

    /// The Korean title without quirks.
    var plainTitle: String { Self.titles(dice(for: .title)).korean }

    /// The Korean title of a film, without playing out what becomes of it.
    static func plainTitle(of id: SimulatedMovieID, seed: UInt64) -> String {
        titles(dice(of: id, seed: seed).branch(Aspect.title.rawValue)).korean
    }

    /// The English title, whether the service knows it or not.
    var plainTitleEnglish: String { Self.titles(dice(for: .title)).english }

    /// The English title as the service has it; half of the real films have none.
    var titleEnglish: String {
        var dice = dice(for: .title).branch(2)
        return dice.chance(0.55) ? plainTitleEnglish : ""
    }

    /// Two words that never met before, in one of the shapes that titles have.
    private static func titles(_ dice: SeededRandom) -> (korean: String, english: String) {
        var dice = dice
        let (how, howEnglish) = dice.pick(qualities)
        let (what, whatEnglish) = dice.pick(things)
        let (place, placeEnglish) = dice.pick(places)
        let part = dice.integer(in: 2...4)
        switch dice.unit() {
        case ..<0.42: return ("\(how) \(what)", "The \(howEnglish) \(whatEnglish)")
        case ..<0.6: return ("\(place)의 \(what)", "The \(whatEnglish) of \(placeEnglish)")
        case ..<0.72: return ("\(place): \(how) \(what)", "\(placeEnglish): The \(howEnglish) \(whatEnglish)")
        case ..<0.8: return ("\(how) \(what) \(part)", "The \(howEnglish) \(whatEnglish) \(part)")
        case ..<0.87: return ("\(what)", whatEnglish)
        case ..<0.93: return ("\(howEnglish) \(whatEnglish)", "\(howEnglish) \(whatEnglish)")
        case ..<0.96: return ("극장판 \(how) \(what): \(place)", "\(howEnglish) \(whatEnglish) the Movie: \(placeEnglish)")
        case ..<0.98: return ("<\(how) \(what)> 특별전", "Special Screening: \(howEnglish) \(whatEnglish)")
        default: return ("\(what), \(place) & \(how) 밤", "\(whatEnglish), \(placeEnglish) & a \(howEnglish) Night")
        }
    }

    private static let qualities = [
        ("푸른", "Blue"), ("느린", "Slow"), ("조용한", "Quiet"), ("낡은", "Worn"), ("마지막", "Last"), ("먼", "Distant"),
        ("하얀", "White"), ("검은", "Black"), ("젖은", "Wet"), ("잃어버린", "Lost"), ("숨은", "Hidden"), ("작은", "Small"),
        ("높은", "High"), ("깊은", "Deep"), ("따뜻한", "Warm"), ("차가운", "Cold"), ("이상한", "Strange"), ("늦은", "Late"),
        ("두 번째", "Second"), ("열두 번째", "Twelfth"), ("이름 없는", "Nameless"), ("잠들지 않는", "Sleepless"),
        ("거꾸로 가는", "Backward"), ("눈 내리는", "Snowy"), ("노래하는", "Singing"), ("비밀의", "Secret"), ("구겨진", "Crumpled"),
        ("반짝이는", "Glittering"), ("돌아온", "Returned"), ("혼자 남은", "Remaining"), ("투명한", "Transparent"),
        ("종이로 만든", "Paper"), ("일곱 개의", "Sevenfold"), ("떠도는", "Wandering"), ("빌린", "Borrowed"), ("접힌", "Folded"),
        ("기울어진", "Tilted"), ("무거운", "Heavy"), ("가벼운", "Light"), ("오래된", "Ancient"),
    ]

    private static let things = [
        ("등대", "Lighthouse"), ("우체부", "Postman"), ("바다", "Sea"), ("계단", "Stairs"), ("여름", "Summer"),
        ("겨울", "Winter"), ("약속", "Promise"), ("기차", "Train"), ("정원", "Garden"), ("고양이", "Cat"), ("탐정", "Detective"),
        ("편지", "Letter"), ("지도", "Map"), ("유령", "Ghost"), ("잠수부", "Diver"), ("시계공", "Clockmaker"), ("극장", "Theatre"),
        ("섬", "Island"), ("그림자", "Shadow"), ("천문대", "Observatory"), ("국수집", "Noodle House"), ("사서", "Librarian"),
        ("피아노", "Piano"), ("도둑", "Thief"), ("구름", "Cloud"), ("자전거", "Bicycle"), ("항해", "Voyage"), ("심판", "Referee"),
        ("온실", "Greenhouse"), ("왈츠", "Waltz"), ("이웃", "Neighbour"), ("수선공", "Mender"), ("로봇", "Robot"),
        ("호랑이", "Tiger"), ("야간열차", "Night Train"), ("목격자", "Witness"), ("사과밭", "Orchard"), ("우산", "Umbrella"),
        ("파수꾼", "Watchman"), ("전화", "Telephone"),
    ]

    private static let places = [
        ("달마루", "Dalmaru"), ("은빛항", "Eunbit Harbour"), ("북문시장", "North Gate Market"), ("솔내", "Solnae"),
        ("가온역", "Gaon Station"), ("먹구름골", "Black Cloud Valley"), ("열하루섬", "Eleven Day Island"),
        ("모래내길", "Moraenae Road"), ("안개재", "Misty Pass"), ("별빛동", "Byeolbit-dong"), ("잣나무숲", "Pinewood"),
        ("하늘목", "Sky's Neck"), ("오목교차로", "Omok Crossing"), ("서리마을", "Frost Village"), ("고래만", "Whale Bay"),
        ("사십칠층", "Forty-Seventh Floor"),
    ]
}
