/// Somebody who makes films in a world that does not exist.
struct Person: Sendable {
    let name: String
    let nameEnglish: String

    init(isKorean: Bool, dice: inout SeededRandom) {
        let (family, familyEnglish) = dice.pick(isKorean ? Self.koreanFamilies : Self.foreignFamilies)
        let (given, givenEnglish) = dice.pick(isKorean ? Self.koreanNames : Self.foreignNames)
        name = isKorean ? family + given : "\(given) \(family)"
        // The English name is missing for every third, and in capitals where somebody was in a hurry.
        let english = "\(givenEnglish) \(familyEnglish)"
        let care = dice.unit()
        nameEnglish = care < 0.33 ? "" : care < 0.4 ? english.uppercased() : english
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
