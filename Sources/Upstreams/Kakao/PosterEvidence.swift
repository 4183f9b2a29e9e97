import BoxOffice
import Text

/// What a page says about a movie: each fact compared, and the verdict that follows. It reads text and nothing else.
struct PosterEvidence: Sendable {
    /// What follows for the page's image.
    enum Verdict: Hashable, Sendable {
        /// The page is about the movie.
        case confirmed
        /// The page names the title and nothing that belongs to another movie.
        case titleOnly
        /// The image is not used.
        case rejected(Poster.Match.Rejection.Reason)
    }

    /// The page's title.
    let pageTitle: String
    /// The comparisons.
    let compared: [Poster.Match.Comparison]
    /// The verdict.
    let verdict: Verdict
    /// Whether the page is about another movie of the same title.
    let isNamesake: Bool

    /// Compares a page with what is known of a movie.
    init(of page: PosterPage, about subject: PosterSubject) {
        let headline = Words(page.title.prefix(Self.titleLimit))
        let title = Words(subject.title)
        let places = headline.places(of: title).filter { !Self.isSequel(headline, behind: $0) }
        let isAlone = places.contains { Self.isAlone($0, in: headline) }

        let text = page.lines.map { Words($0) }
        let years = Self.years(in: headline, besides: places.first) ?? Self.years(of: title, in: text)
        let directors = Self.directors(in: page.lines)
        func named(_ names: [String]) -> [String] {
            names.filter { name in
                let name = Words(name)
                return headline.contains(name) || text.contains { $0.contains(name) }
            }
        }
        let ownDirectors = named(subject.directors)
        let hasOther =
            !directors.isEmpty
            && !subject.directors.contains { Words(directors.joined(separator: " ")).contains(Words($0)) }
        let actors = named(subject.actors)
        let english = subject.titleEnglish.map { [$0] } ?? []

        typealias Comparison = Poster.Match.Comparison
        let year = Comparison(
            .year, expected: subject.years.map(String.init), found: years.map(String.init),
            // A page that gives the years of two movies compares them, and may show either.
            result: years.isEmpty || subject.years.isEmpty
                ? .absent : years.allSatisfy(subject.years.contains) ? .same : .different)
        let director = Comparison(
            .director, expected: subject.directors, found: hasOther ? directors : ownDirectors,
            result: subject.directors.isEmpty ? .absent : hasOther ? .different : ownDirectors.isEmpty ? .absent : .same
        )
        let actor = Comparison(
            .actor, expected: subject.actors, found: actors,
            result: !actors.isEmpty && actors.count >= min(2, subject.actors.count) ? .same : .absent)
        compared = [
            Comparison(
                .title, expected: [subject.title], found: places.isEmpty ? [] : [subject.title],
                result: places.isEmpty ? .different : .same),
            Comparison(
                .titleEnglish, expected: english, found: named(english),
                result: named(english).isEmpty ? .absent : .same),
            year, director, actor,
        ]
        pageTitle = page.title
        isNamesake = isAlone && (year.result == .different || director.result == .different)
        if places.isEmpty {
            verdict = .rejected(.otherTitle)
        } else if year.result == .different {
            verdict = .rejected(.otherYear)
        } else if director.result == .different {
            verdict = .rejected(.otherDirector)
        } else if headline.words.contains(where: { word in Self.comparing.contains(where: word.text.hasPrefix) }) {
            // It shows images of several movies, and names the people of all of them.
            verdict = .rejected(.unconfirmed)
        } else if director.result == .same || actor.result == .same || (year.result == .same && isAlone) {
            verdict = .confirmed
        } else {
            verdict = isAlone ? .titleOnly : .rejected(.unconfirmed)
        }
    }

    /// Number of characters of a page's title that are read.
    private static let titleLimit = 200
}

// MARK: - Titles

extension PosterEvidence {
    /// Whether the number of a sequel stands behind the title (`푸른 등대 2`, `듄: 파트2`).
    private static func isSequel(_ headline: Words, behind place: Range<Int>) -> Bool {
        guard place.upperBound < headline.words.count else { return false }
        let next = headline.words[place.upperBound]
        if sequelWords.contains(where: next.text.hasPrefix) { return true }
        let number = next.text.prefix { $0.isNumber }
        return !next.isAfterSign && !number.isEmpty && number.count <= 2 && number != "1"
            && ["", "편", "부"].contains(next.text.dropFirst(number.count))
    }

    /// Whether the title stands by itself and is not part of a longer one (`등대` in `달마루의 등대`).
    private static func isAlone(_ place: Range<Int>, in headline: Words) -> Bool {
        let (before, behind) = headline.isBounded(place)
        let isBegun = before || wordsBefore.contains(headline.words[place.lowerBound - 1].text)
        let isEnded =
            behind || wordsBehind.contains { headline.words[place.upperBound].text.hasPrefix($0) }
            || year(headline.words[place.upperBound].text) != nil
        return isBegun && isEnded
    }

    /// The beginnings of words that make a title a sequel's.
    private static let sequelWords = ["파트", "part", "챕터", "chapter", "시즌", "ii"]
    /// The beginnings of words in the titles of pages about several movies.
    private static let comparing = ["비교", "차이", "vs", "리메이크", "모음", "총정리"]
    /// Words that stand before a title and are no part of it.
    private static let wordsBefore: Set<String> = ["영화", "신작", "개봉작", "화제작", "리뷰", "후기", "포스터", "movie"]
    /// The beginnings of words that stand behind a title and are no part of it.
    private static let wordsBehind = [
        "포스터", "메인", "티저", "후기", "리뷰", "평점", "결말", "줄거리", "출연", "등장인물", "예고", "정보", "개봉", "관람", "봤", "보고", "스틸", "감상",
        "영화", "poster", "review",
    ]
}

// MARK: - Years and directors

extension PosterEvidence {
    /// Returns the years in a page's title, besides those in the movie's own; nil if there are none.
    private static func years(in headline: Words, besides title: Range<Int>?) -> [Int]? {
        let years = headline.words.indices.filter { title?.contains($0) != true }.compactMap {
            year(headline.words[$0].text)
        }
        return years.isEmpty ? nil : years
    }

    /// Returns the years in the text: behind the title, and of the opening or the production in a list of facts.
    private static func years(of title: Words, in text: [Words]) -> [Int] {
        text.flatMap { line -> [Int] in
            let behind = line.places(of: title).compactMap { place in
                place.upperBound < line.words.count ? year(line.words[place.upperBound].text) : nil
            }
            guard let first = line.words.first?.text, yearLabels.contains(first) else { return behind }
            return behind + (line.words.dropFirst().lazy.compactMap { year($0.text) }.first.map { [$0] } ?? [])
        }
    }

    /// Returns the names behind the label of the director in a list of facts, on its line or the next one.
    private static func directors(in lines: [String]) -> [String] {
        var names: [String] = []
        for (index, line) in lines.enumerated() {
            guard let label = directorLabels.first(where: line.hasPrefix) else { continue }
            let rest = line.dropFirst(label.count).drop { $0.isWhitespace }
            if rest.isEmpty, index + 1 < lines.count {
                names.append(String(lines[index + 1].prefix(nameLimit)))
            } else if let sign = rest.first, [":", "：", "|", "-", "·"].contains(sign) {
                names.append(String(rest.dropFirst().prefix(nameLimit)).trimmed)
            } else if line.count <= nameLimit / 2, line.dropFirst(label.count).first?.isWhitespace == true {
                names.append(String(rest))  // a short line without a sign (`감독 김기영`) is no sentence
            }
        }
        return names.filter { $0.contains(where: \.isLetter) }
    }

    /// Returns the year that a word begins with (`2006`, `2006년작`).
    private static func year(_ word: String) -> Int? {
        let digits = word.prefix { $0.isASCII && $0.isNumber }
        guard digits.count == 4, let year = Int(digits), (1900...2099).contains(year) else { return nil }
        return year
    }

    private static let yearLabels: Set<String> = ["개봉", "개봉일", "개봉연도", "개봉년도", "제작", "제작연도", "제작년도", "연도"]
    private static let directorLabels = ["감독", "연출", "Director"]
    private static let nameLimit = 60
}
