import BoxOffice
import FoundationEssentials
import Text

extension Arguments {
    /// Parses a day: `YYYY-MM-DD`, `YYYYMMDD` or `yesterday`.
    func date(_ text: String) throws(UsageError) -> KoreanDate {
        let text = text.trimmingHidden
        guard let date = text == "yesterday" ? .yesterday(at: Date()) : KoreanDate(text) else {
            throw UsageError(
                Self.invalidValue(
                    "DATE", text,
                    expected: Language.current("YYYY-MM-DD, YYYYMMDD, yesterday", "YYYY-MM-DD, YYYYMMDD or yesterday"),
                    in: .current))
        }
        return date
    }

    /// Returns the day of an option; nil if it was not given.
    func day(_ option: String) throws(UsageError) -> KoreanDate? {
        try value(option, expected: Language.current("2024-06-04 같은 날짜", "a date such as 2024-06-04")) {
            KoreanDate($0)
        }
    }

    /// Returns the week that contains the day in `text`, limited to the days that `--span` selects.
    func week(of text: String) throws(UsageError) -> Week {
        let span = try value(
            "--span", expected: Language.current("week, weekend, weekdays", "week, weekend or weekdays")
        ) { Week.Span(rawValue: $0) }
        return Week(of: try date(text), span: span ?? .weekend)
    }

    func movieCode(_ text: String) throws(UsageError) -> MovieCode {
        guard let code = MovieCode(text.trimmingHidden) else {
            throw UsageError(
                Self.invalidValue(
                    "CODE", text,
                    expected: Language.current("숫자·영문 대문자 8자리", "eight characters of 0-9 and A-Z"), in: .current))
        }
        return code
    }

    /// Returns the market that `--nation`, `--films` and `--area` select.
    func market() throws(UsageError) -> Market {
        Market(
            nation: try value("--nation", expected: Language.current("K(한국), F(외국)", "K or F")) {
                Market.Nation(rawValue: $0.uppercased())
            },
            films: try value("--films", expected: Language.current("diverse, commercial", "diverse or commercial")) {
                Market.Films(rawValue: $0.lowercased())
            },
            area: try value("--area", expected: Language.current("7자리 코드", "a code of seven digits")) {
                Market.Area($0)
            })
    }
}

extension Usage.Option {
    /// Selects the days of a week.
    static var span: Usage.Option {
        Usage.Option(
            "--span", value: "week|weekend|weekdays", "week: 주간(월~일), 주말(금~일, 기본값), 주중(월~목)",
            "week: all of the week that DATE lies in, Friday to Sunday (default), or Monday to Thursday")
    }

    static var market: [Usage.Option] {
        [
            Usage.Option("--nation", value: "K|F", "한국영화만(K), 외국영화만(F)", "only Korean (K) or only foreign (F) movies"),
            Usage.Option(
                "--films", value: "diverse|commercial", "독립·예술영화만, 일반영화만",
                "only art-house (diverse) or only commercial movies"),
            Usage.Option(
                "--area", value: "CODE", "한 지역의 극장만(`marquee areas`)", "only cinemas in this area (`marquee areas`)"),
        ]
    }
}
