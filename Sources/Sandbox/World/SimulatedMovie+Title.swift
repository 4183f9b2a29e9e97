extension SimulatedMovie {
    /// The Korean title as the service publishes it, sometimes with a stray space, tab or no-break space.
    var title: String {
        var random = random(for: .title).branch(1)
        let title = plainTitle
        switch random.unit() {
        case ..<0.015: return title + " "
        case ..<0.02: return " " + title
        case ..<0.027: return title + "\t"
        case ..<0.034: return title + "\u{A0}"
        case ..<0.04: return String(title.map { $0 == " " ? "\u{A0}" : $0 })
        default: return title
        }
    }

    /// The Korean title without stray spaces.
    var plainTitle: String { Self.titles(random(for: .title)).korean }

    /// Returns the Korean title of a movie, without generating its figures.
    static func plainTitle(of id: SimulatedMovieID, seed: UInt64) -> String {
        titles(random(of: id, seed: seed).branch(Aspect.title.rawValue)).korean
    }

    /// The English title, also if the service does not publish it.
    var plainTitleEnglish: String { Self.titles(random(for: .title)).english }

    /// The English title as the service publishes it; empty for about half of the movies, as in reality.
    var titleEnglish: String {
        var random = random(for: .title).branch(2)
        return random.chance(0.55) ? plainTitleEnglish : ""
    }

    /// Returns a random title in one of several patterns.
    private static func titles(_ random: SeededRandom) -> (korean: String, english: String) {
        var random = random
        let (quality, qualityEnglish) = random.pick(qualities)
        let (thing, thingEnglish) = random.pick(things)
        let (place, placeEnglish) = random.pick(places)
        let part = random.integer(in: 2...4)
        switch random.unit() {
        case ..<0.42: return ("\(quality) \(thing)", "The \(qualityEnglish) \(thingEnglish)")
        case ..<0.6: return ("\(place)의 \(thing)", "The \(thingEnglish) of \(placeEnglish)")
        case ..<0.72: return ("\(place): \(quality) \(thing)", "\(placeEnglish): The \(qualityEnglish) \(thingEnglish)")
        case ..<0.8: return ("\(quality) \(thing) \(part)", "The \(qualityEnglish) \(thingEnglish) \(part)")
        case ..<0.87: return ("\(thing)", thingEnglish)
        case ..<0.93: return ("\(qualityEnglish) \(thingEnglish)", "\(qualityEnglish) \(thingEnglish)")
        case ..<0.96:
            return ("극장판 \(quality) \(thing): \(place)", "\(qualityEnglish) \(thingEnglish) the Movie: \(placeEnglish)")
        case ..<0.98: return ("<\(quality) \(thing)> 특별전", "Special Screening: \(qualityEnglish) \(thingEnglish)")
        default:
            return ("\(thing), \(place) & \(quality) 밤", "\(thingEnglish), \(placeEnglish) & a \(qualityEnglish) Night")
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
