import BoxOffice
import FoundationEssentials
import Text

/// The parsed arguments of a command: options and positional arguments.
///
/// `--name value` and `--name=value` are equivalent; `--` ends the options.
struct Arguments: Sendable {
    private(set) var positional: [String] = []
    private var values: [String: [String]] = [:]

    /// Parses `words` by the options that `usage` declares; without arguments in `usage` there may be none.
    init(_ words: [String], usage: Usage) throws(UsageError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                positional += rest
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                positional.append(word)
                continue
            }
            let name = String(word.prefix { $0 != "=" })
            guard let option = usage.options.first(where: { $0.name == name }) else {
                throw Self.unknownOption(name, of: usage)
            }
            guard values[name] == nil || option.isRepeatable else {
                throw UsageError("\(name) 옵션을 두 번 지정했습니다", "\(name) is given twice")
            }
            guard let placeholder = option.value else {
                guard name == word else {
                    throw UsageError("\(name) 옵션에는 값을 지정할 수 없습니다", "\(name) takes no value")
                }
                values[name] = []
                continue
            }
            guard let value = name == word ? rest.popFirst() : String(word.dropFirst(name.count + 1)) else {
                throw UsageError(
                    "\(name) 옵션의 값이 없습니다: \(name) \(placeholder)",
                    "\(name) needs a value: \(name) \(placeholder)")
            }
            values[name, default: []].append(value)
        }
        if usage.arguments.isEmpty { try rejectPositional() }
    }

    func has(_ name: String) -> Bool {
        values[name] != nil
    }

    /// Returns the value of an option; nil if it was not given.
    func value(_ name: String) -> String? {
        values[name]?.last
    }

    func values(_ name: String) -> [String] {
        values[name] ?? []
    }

    /// Returns the value of an option, converted by `read`; nil if it was not given.
    func value<Value>(_ name: String, expected: String, read: (String) -> Value?) throws(UsageError) -> Value? {
        guard let text = value(name) else { return nil }
        return try Self.parse(text, as: name, expected: expected, read: read)
    }

    /// Returns an argument or the value of an option, converted by `read`. Hidden signs around it are ignored.
    static func parse<Value>(
        _ text: String, as name: String, expected: String, read: (String) -> Value?
    ) throws(UsageError) -> Value {
        if let value = read(text.trimmingHidden) { return value }
        throw UsageError(invalidValue(name, text, expected: expected, in: .current))
    }

    /// Returns the whole number of an option; nil if it was not given.
    func number(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        let expected =
            range.upperBound == .max
            ? localized("\(range.lowerBound) 이상의 정수", "a whole number of at least \(range.lowerBound)")
            : localized(
                "\(range.lowerBound)~\(range.upperBound)의 정수",
                "a whole number from \(range.lowerBound) to \(range.upperBound)")
        return try value(name, expected: expected) { text in Int(text).flatMap { range.contains($0) ? $0 : nil } }
    }

    /// Says that an option or argument has an invalid value.
    static func invalidValue(_ name: String, _ text: String, expected: String, in language: Language) -> String {
        language(
            "\(name) 값이 올바르지 않습니다(\(text.visiblyQuoted)). 사용할 수 있는 값: \(expected)",
            "\(name) must be \(expected), not \(text.visiblyQuoted)")
    }

    private static func unknownOption(_ name: String, of usage: Usage) -> UsageError {
        let names = usage.options.filter { $0.meaning != nil }.map(\.name) + [Language.option]
        let nearest = names.nearest(to: name, within: 2)
        return UsageError(
            "\(usage.name) 명령에 \(name) 옵션이 없습니다." + (nearest.map { " 비슷한 옵션: \($0)." } ?? "")
                + " 도움말: marquee help \(usage.name)",
            "\(usage.name) has no option \(name)" + (nearest.map { "; did you mean \($0)?" } ?? ";")
                + " see `marquee help \(usage.name)`")
    }

    /// Returns the only positional argument.
    func onlyPositional(_ placeholder: String) throws(UsageError) -> String {
        guard let first = positional.first, !first.isEmpty else {
            throw UsageError("\(placeholder) 인수가 없습니다", "\(placeholder) is missing")
        }
        if positional.count > 1 { throw Self.unexpected(positional[1]) }
        return first
    }

    /// Throws a `UsageError` if one of these options was given; its text is the option's name and the reason.
    func reject(_ names: String..., because korean: String, _ english: String) throws(UsageError) {
        if let name = names.first(where: has) { throw UsageError("\(name) \(korean)", "\(name) \(english)") }
    }

    func rejectPositional() throws(UsageError) {
        if let first = positional.first { throw Self.unexpected(first) }
    }

    /// The error of a positional argument that a command does not take.
    static func unexpected(_ word: String) -> UsageError {
        UsageError("필요 없는 인수입니다: \(word.visiblyQuoted)", "unexpected argument \(word.visiblyQuoted)")
    }

    // MARK: - Charts

    /// Parses a day: `YYYY-MM-DD`, `YYYYMMDD` or `yesterday`.
    func date(_ text: String) throws(UsageError) -> KoreanDate {
        let expected = localized("YYYY-MM-DD, YYYYMMDD, yesterday", "YYYY-MM-DD, YYYYMMDD or yesterday")
        return try Self.parse(text, as: "DATE", expected: expected) {
            $0 == "yesterday" ? .yesterday(at: Date()) : KoreanDate($0)
        }
    }

    /// Returns the day of an option; nil if it was not given.
    func day(_ option: String) throws(UsageError) -> KoreanDate? {
        try value(option, expected: localized("2024-06-04 같은 날짜", "a date such as 2024-06-04")) { KoreanDate($0) }
    }

    /// Returns the week that contains the day in `text`, limited to the days that `--span` selects.
    func week(of text: String) throws(UsageError) -> Week {
        let span = try value(
            "--span", expected: localized("week, weekend, weekdays", "week, weekend or weekdays")
        ) { Week.Span(rawValue: $0) }
        return Week(of: try date(text), span: span ?? .weekend)
    }

    func movieCode(_ text: String) throws(UsageError) -> MovieCode {
        let expected = localized("숫자·영문 대문자 8자리", "eight characters of 0-9 and A-Z")
        return try Self.parse(text, as: "CODE", expected: expected) { MovieCode($0) }
    }

    /// Returns the market that `--nation`, `--films` and `--area` select.
    func market() throws(UsageError) -> Market {
        Market(
            nation: try value("--nation", expected: localized("K(한국), F(외국)", "K or F")) {
                Market.Nation(rawValue: $0.uppercased())
            },
            films: try value("--films", expected: localized("diverse, commercial", "diverse or commercial")) {
                Market.Films(rawValue: $0.lowercased())
            },
            area: try value("--area", expected: localized("7자리 코드", "a code of seven digits")) {
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
