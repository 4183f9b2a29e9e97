public import JSONCoding

/// The part of the Korean market that a chart covers: all of it, or the part that filters select.
///
/// Ranks, shares and changes of a filtered chart are relative to its market and never comparable with another's.
public struct Market: Hashable, Sendable, StringRepresentable {
    /// The origin of movies; the raw value is the word in requests and topics.
    public enum Nation: String, Hashable, Sendable, CaseIterable {
        /// Korean movies.
        case korean = "K"
        /// Foreign movies.
        case foreign = "F"
    }

    /// The kind of movies; the raw value is the word in requests and topics.
    public enum Films: String, Hashable, Sendable, CaseIterable {
        /// Movies that are recognized as art-house ("diversity") movies.
        case diverse
        /// All other movies.
        case commercial
    }

    /// An area of Korea by the council's seven-digit code (`0105001` is Seoul).
    public struct Area: Hashable, Sendable, CustomStringConvertible {
        /// The seven digits.
        public let description: String

        /// Makes an area's code, or nil if the text is not one.
        public init?(_ text: some StringProtocol) {
            guard text.utf8.count == 7, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
                return nil
            }
            description = String(text)
        }
    }

    /// The origin of the movies; nil for all.
    public var nation: Nation?
    /// The kind of movies; nil for all.
    public var films: Films?
    /// The area of the cinemas; nil for the whole country.
    public var area: Area?

    /// The whole market.
    public static let all = Market()
    fileprivate static let word = "all"

    /// Makes a market; a filter that is left out selects everything.
    public init(nation: Nation? = nil, films: Films? = nil, area: Area? = nil) {
        self.nation = nation
        self.films = films
        self.area = area
    }

    /// The market as it stands in topics: `all`, or filters such as `nation-K+films-diverse+area-0105001`.
    public var description: String {
        if nation == nil, films == nil, area == nil { return Self.word }
        let filters = [
            nation.map { "nation-\($0.rawValue)" }, films.map { "films-\($0.rawValue)" }, area.map { "area-\($0)" },
        ].compactMap(\.self)
        return filters.joined(separator: "+")
    }

    /// Reads the form that `description` writes, and no other.
    public init?(_ text: some StringProtocol) {
        self.init()
        if text.utf8.elementsEqual(Self.word.utf8) { return }  // the usual case
        for filter in text.split(separator: "+") {
            let word = filter.prefix { $0 != "-" }
            let value = filter.dropFirst(word.count + 1)
            switch word {
            case "nation": nation = Nation(rawValue: String(value))
            case "films": films = Films(rawValue: String(value))
            case "area": area = Area(value)
            default: break
            }
        }
        // Byte by byte, because text compares by canonical equivalence: U+212A, the sign of kelvin, would pass for a K.
        guard description.utf8.elementsEqual(text.utf8) else { return nil }
    }

    /// The noun in error texts.
    public static let noun = "market"

    /// An area and its names.
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

    /// The council's areas, unchanged for years; its API lists the current ones.
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
