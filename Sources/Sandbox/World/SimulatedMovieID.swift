import BoxOffice

/// Identifies a movie by its opening week and its position among the openings of that week.
struct SimulatedMovieID: Hashable, Sendable {
    let week: ReleaseWeek
    let slot: Int

    static let slots = 14
}

extension SimulatedMovieID {
    /// The movie's code: the year and four characters, the first of which is sometimes a letter (`2022B512`).
    ///
    /// The four characters are the movie's number in its year, scrambled by a reversible multiplication, so that a code
    /// identifies its movie without a table.
    var code: String {
        let (year, week) = self.week.ordinal
        let number = (week - 1) * Self.slots + slot
        let isLettered = number % 23 == 5
        let scrambled = (number * Self.factor + year * 37) % (isLettered ? 1000 : 10_000)
        let digits = String(scrambled)
        let letter = isLettered ? Self.letters[number % Self.letters.count] : ""
        return String(year) + letter + String(repeating: "0", count: 4 - letter.count - digits.count) + digits
    }

    init?(code: some StringProtocol) {
        let suffix = code.dropFirst(4)
        let isLettered = suffix.first.map { Self.letters.contains(String($0)) } ?? false
        guard code.utf8.count == 8, let year = Int(code.prefix(4)), let first = ReleaseWeek.first(of: year),
            let scrambled = Int(isLettered ? suffix.dropFirst() : suffix)
        else { return nil }
        // 1,903 is the inverse of 7,567 modulo 10,000, and modulo 1,000.
        let modulus = isLettered ? 1000 : 10_000
        let number = ((scrambled - year * 37) % modulus + modulus) % modulus * Self.inverse % modulus
        self.init(week: first + number / Self.slots, slot: number % Self.slots)
        guard self.code == code else { return nil }
    }

    private static let factor = 7567
    private static let inverse = 1903
    private static let letters = ["A", "B", "C"]
}

/// A week from Monday to Sunday, counted from the week of 1970-01-01.
struct ReleaseWeek: Hashable, Sendable {
    let number: Int

    init(number: Int) {
        self.number = number
    }

    init(of date: KoreanDate) {
        number = (date.dayNumber - date.weekday + 3) / 7
    }

    var monday: KoreanDate {
        KoreanDate(dayNumber: number * 7 - 3)
    }

    /// The year of the week (ISO 8601: the year of its Thursday) and its number in that year, from 1.
    var ordinal: (year: Int, week: Int) {
        let thursday = monday + 3
        let newYear = KoreanDate(year: thursday.year, month: 1, day: 1) ?? thursday
        return (thursday.year, (thursday - newYear) / 7 + 1)
    }

    /// Returns the first week of `year` (ISO 8601: the week with January 4th).
    static func first(of year: Int) -> ReleaseWeek? {
        KoreanDate(year: year, month: 1, day: 4).map(ReleaseWeek.init(of:))
    }

    static func + (week: ReleaseWeek, weeks: Int) -> ReleaseWeek {
        ReleaseWeek(number: week.number + weeks)
    }
}

/// A movie's title in Korean and English, in one of eight patterns.
///
/// The movies of 26 years have different titles; after that a title returns, as with remakes. A movie never meets its
/// namesake in the cinemas: the last re-release comes after twenty years.
struct MovieTitle: Hashable, Sendable {
    let korean: String
    let english: String

    static let count = 1_356 * SimulatedMovieID.slots

    init(of id: SimulatedMovieID, seed: UInt64) {
        var random = SeededRandom(seed: seed).branch(Self.count)
        // The step is a prime that does not divide the count: neighbours get titles of different patterns.
        let number = (id.week.number * SimulatedMovieID.slots + id.slot) * 11_003 % Self.count
        self.init(number: (number + Self.count + random.integer(in: 0...Self.count - 1)) % Self.count)
    }

    /// Makes the title with a number below ``count``; no two numbers have the same title.
    init(number: Int) {
        // The index has its thing and its quality for itself: there are 3,600 pairs, and 2,373 titles of a pattern.
        let (index, pattern) = number.quotientAndRemainder(dividingBy: 8)
        let (thing, thingEnglish) = Self.things[index % Self.things.count]
        let (quality, qualityEnglish) = Self.qualities[index / Self.things.count % Self.qualities.count]
        let (place, placeEnglish) = Self.places[index % Self.places.count]
        let (base, baseEnglish) = ("\(quality) \(thing)", "\(qualityEnglish) \(thingEnglish)")
        (korean, english) =
            switch pattern {
            case 0: (base, "The \(baseEnglish)")
            case 1: ("\(place)의 \(base)", "The \(baseEnglish) of \(placeEnglish)")
            case 2: (baseEnglish, baseEnglish)
            case 3: ("<\(base)> 특별전", "Special Screening: \(baseEnglish)")
            case 4: ("\(base) 2", "The \(baseEnglish) 2")
            case 5: ("\(place): \(base)", "\(placeEnglish): The \(baseEnglish)")
            case 6: ("극장판 \(base): \(place)", "\(baseEnglish) the Movie: \(placeEnglish)")
            default:
                (
                    "\(thing), \(place) & \(quality) 밤",
                    "\(thingEnglish), \(placeEnglish) & a \(qualityEnglish) Night"
                )
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
        ("부서진", "Broken"), ("둥근", "Round"), ("달콤한", "Sweet"), ("쓸쓸한", "Lonely"), ("네 번째", "Fourth"), ("길 잃은", "Stray"),
        ("녹슨", "Rusty"), ("새로운", "New"), ("붉은", "Red"), ("흐린", "Dim"), ("뜨거운", "Burning"), ("어린", "Young"),
        ("잠든", "Sleeping"), ("춤추는", "Dancing"), ("날아가는", "Flying"), ("얼어붙은", "Frozen"), ("사라진", "Vanished"),
        ("금이 간", "Cracked"), ("엉킨", "Tangled"), ("낯선", "Unfamiliar"),
    ]

    private static let things = [
        ("등대", "Lighthouse"), ("우체부", "Postman"), ("바다", "Sea"), ("계단", "Stairs"), ("여름", "Summer"),
        ("겨울", "Winter"), ("약속", "Promise"), ("기차", "Train"), ("정원", "Garden"), ("고양이", "Cat"), ("탐정", "Detective"),
        ("편지", "Letter"), ("지도", "Map"), ("유령", "Ghost"), ("잠수부", "Diver"), ("시계공", "Clockmaker"), ("극장", "Theatre"),
        ("섬", "Island"), ("그림자", "Shadow"), ("천문대", "Observatory"), ("국수집", "Noodle House"), ("사서", "Librarian"),
        ("피아노", "Piano"), ("도둑", "Thief"), ("구름", "Cloud"), ("자전거", "Bicycle"), ("항해", "Voyage"), ("심판", "Referee"),
        ("온실", "Greenhouse"), ("왈츠", "Waltz"), ("이웃", "Neighbour"), ("수선공", "Mender"), ("로봇", "Robot"),
        ("호랑이", "Tiger"), ("야간열차", "Night Train"), ("목격자", "Witness"), ("사과밭", "Orchard"), ("우산", "Umbrella"),
        ("파수꾼", "Watchman"), ("전화", "Telephone"), ("우물", "Well"), ("다리", "Bridge"), ("호수", "Lake"),
        ("사진관", "Photo Studio"), ("빵집", "Bakery"), ("세탁소", "Laundry"), ("도서관", "Library"), ("라디오", "Radio"),
        ("선장", "Captain"), ("마술사", "Magician"), ("화가", "Painter"), ("요리사", "Cook"), ("까마귀", "Crow"), ("고래", "Whale"),
        ("여우", "Fox"), ("사막", "Desert"), ("폭포", "Waterfall"), ("달력", "Calendar"), ("열쇠", "Key"), ("거울", "Mirror"),
    ]

    private static let places = [
        ("달마루", "Dalmaru"), ("은빛항", "Eunbit Harbour"), ("북문시장", "North Gate Market"), ("솔내", "Solnae"),
        ("가온역", "Gaon Station"), ("먹구름골", "Black Cloud Valley"), ("열하루섬", "Eleven Day Island"),
        ("모래내길", "Moraenae Road"), ("안개재", "Misty Pass"), ("별빛동", "Byeolbit-dong"), ("잣나무숲", "Pinewood"),
        ("하늘목", "Sky's Neck"), ("오목교차로", "Omok Crossing"), ("서리마을", "Frost Village"), ("고래만", "Whale Bay"),
        ("사십칠층", "Forty-Seventh Floor"),
    ]
}
