/// Comma-separated values as RFC 4180 has them, for spreadsheets.
enum CSV {
    /// The lines of a range of days, with a heading.
    static func table(of lines: [HistoryLine]) -> [UInt8] {
        table("date,line,rank,movieCode,title,audience,audienceTotal,sales,screens,showings", lines) { line in
            [line.day, "\(line.line)", figure(line.rank), line.code, quoted(line.title)]
                + [line.audience, line.audienceTotal, line.sales, line.screens, line.showings].map(figure)
        }
    }

    /// The lines of a range of weeks, with a heading.
    static func table(ofWeeks lines: [HistoryLine]) -> [UInt8] {
        table("week,rank,movieCode,title,audience", lines) { line in
            [line.day, figure(line.rank), line.code, quoted(line.title), figure(line.audience)]
        }
    }

    private static func table(
        _ heading: String, _ lines: [HistoryLine], fields: (HistoryLine) -> [String]
    ) -> [UInt8] {
        let text = ([heading] + lines.map { fields($0).joined(separator: ",") }).map { $0 + "\r\n" }.joined()
        // The mark tells spreadsheets that this is UTF-8, which they do not guess.
        return [0xEF, 0xBB, 0xBF] + Array(text.utf8)
    }

    private static func figure(_ value: Int?) -> String { value.map { "\($0)" } ?? "" }

    /// A text in quotes; one that a spreadsheet would take for a formula gets an apostrophe before it.
    private static func quoted(_ text: String) -> String {
        let isFormula = text.first.map { "=+-@\t\r".contains($0) } ?? false
        return "\"\((isFormula ? "'" : "") + text.replacing("\"", with: "\"\""))\""
    }
}
