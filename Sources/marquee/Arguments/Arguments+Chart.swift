import BoxOffice
import FoundationEssentials

extension Arguments {
    /// Parses a day: `YYYY-MM-DD`, `YYYYMMDD` or `yesterday`.
    func date(_ text: String) throws(UsageError) -> KoreanDate {
        guard let date = text == "yesterday" ? .yesterday(at: Date()) : KoreanDate(text) else {
            throw UsageError("DATE must be YYYY-MM-DD, YYYYMMDD or yesterday, not \(text.debugDescription)")
        }
        return date
    }

    /// Returns the week that contains the day in `text`, limited to the days that `--span` selects.
    func week(of text: String) throws(UsageError) -> Week {
        let span = try value("--span", expected: "week, weekend or weekdays") { Week.Span(rawValue: $0) }
        return Week(of: try date(text), span: span ?? .weekend)
    }

    /// Parses a movie code.
    func movieCode(_ text: String) throws(UsageError) -> MovieCode {
        guard let code = MovieCode(text) else {
            throw UsageError("CODE must be eight characters of 0-9 and A-Z, not \(text.debugDescription)")
        }
        return code
    }

    /// Returns the market that `--nation`, `--films` and `--area` select.
    func market() throws(UsageError) -> Market {
        Market(
            nation: try value("--nation", expected: "K or F") { Market.Nation(rawValue: $0) },
            films: try value("--films", expected: "diverse or commercial") { Market.Films(rawValue: $0) },
            area: try value("--area", expected: "a code of seven digits") { Market.Area($0) })
    }
}

extension Usage.Option {
    /// Selects the days of a week.
    static let span = Usage.Option(
        name: "--span", value: "week|weekend|weekdays",
        meaning: "week: all of the week that DATE lies in, Friday to Sunday (default), or Monday to Thursday")
}
