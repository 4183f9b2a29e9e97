import BoxOffice
import Contract
import JSONCoding
import Text
import WebServer

/// Charts of a day or a week, and their history over a range of days.
extension API {
    func day(_ date: Substring, _ request: WebRequest) async throws -> WebResponse {
        let date = try self.date(date, "date")
        let market = try market(of: request)
        return try await answers.response(
            to: request, "day/\(date)/\(market)"
        ) { [model] in
            try await model.chart(span: ReadModel.daySpan, firstDay: date, market: market)
        }
    }

    func week(_ span: Substring, _ day: Substring, _ request: WebRequest) async throws -> WebResponse {
        guard let span = Week.Span(rawValue: String(span)) else {
            throw ContractError(.badRequest, "span must be week, weekend or weekdays", field: "span")
        }
        let week = Week(of: try date(day, "date"), span: span)
        let market = try market(of: request)
        return try await answers.response(
            to: request, "\(span.rawValue)/\(week.firstDay)/\(market)"
        ) { [model] in
            try await model.chart(span: span.rawValue, firstDay: week.firstDay, market: market)
        }
    }

    func areas(_ request: WebRequest) throws -> WebResponse {
        let areas = Market.areas.map { Area(code: "\($0.area)", name: $0.name, nameEnglish: $0.nameEnglish) }
        return CacheableBody(try JSON.encode(["areas": areas]), contentType: .json).response(to: request)
    }

    func calendar(_ year: Substring, _ request: WebRequest) async throws -> WebResponse {
        guard year.count == 4, let year = Int(year), year >= KoreanDate.firstChart.year else {
            throw ContractError(
                .badRequest, "year must be a number from \(KoreanDate.firstChart.year) on", field: "year")
        }
        let market = try market(of: request)
        return try await answers.response(to: request, "calendar/\(year)/\(market)") { [model] in
            try await model.calendar(year: year, market: market)
        }
    }

    func history(_ request: WebRequest) async throws -> WebResponse {
        let (from, to, byWeek) = try range(of: request)
        let market = try market(of: request)
        return try await answers.response(to: request, "history/\(from)/\(to)/\(market)", isHeavy: true) { [model] in
            try await model.history(from: from, to: to, market: market, byWeek: byWeek)
        }
    }

    func historyTable(_ request: WebRequest) async throws -> WebResponse {
        let (from, to, byWeek) = try range(of: request)
        let market = try market(of: request)
        return try await answers.response(
            to: request, "csv/\(from)/\(to)/\(market)", contentType: "text/csv;charset=UTF-8", isHeavy: true,
            headers: [("Content-Disposition", "attachment; filename=\"marquee-\(from)-\(to).csv\"")]
        ) { [model] in
            byWeek
                ? CSV.table(ofWeeks: try await model.weekLines(from: from, to: to, market: market))
                : CSV.table(of: try await model.lines(from: from, to: to, market: market))
        }
    }

    /// Reads the range of days; more than a year is answered by weeks, which keeps every answer about as small as a year's.
    private func range(
        of request: WebRequest
    ) throws(ContractError) -> (from: KoreanDate, to: KoreanDate, byWeek: Bool) {
        let from = try date(request.query("from") ?? "", "from")
        let to = try date(request.query("to") ?? "", "to")
        guard from <= to else { throw ContractError(.badRequest, "from must not be after to", field: "from") }
        return (from, to, to - from > 366)
    }
}

private struct Area: Encodable {
    let code: String
    let name: String
    let nameEnglish: String?
}

/// The history as comma-separated values (RFC 4180), for spreadsheets.
enum CSV {
    /// The lines of a range of days, with a header line.
    static func table(of lines: [HistoryLine]) -> [UInt8] {
        table("date,line,rank,movieCode,title,audience,audienceTotal,sales,screens,showings", lines) { line in
            [line.day, "\(line.line)", number(line.rank), line.code, line.title.csvCell]
                + [line.audience, line.audienceTotal, line.sales, line.screens, line.showings].map(number)
        }
    }

    /// The lines of a range of weeks, with a header line.
    static func table(ofWeeks lines: [HistoryLine]) -> [UInt8] {
        table("week,rank,movieCode,title,audience", lines) { line in
            [line.day, number(line.rank), line.code, line.title.csvCell, number(line.audience)]
        }
    }

    private static func table(
        _ header: String, _ lines: [HistoryLine], fields: (HistoryLine) -> [String]
    ) -> [UInt8] {
        let text = ([header] + lines.map { fields($0).joined(separator: ",") }).map { $0 + "\r\n" }.joined()
        // Without a byte order mark spreadsheets do not read the file as UTF-8.
        return [0xEF, 0xBB, 0xBF] + Array(text.utf8)
    }

    private static func number(_ value: Int?) -> String { value.map { "\($0)" } ?? "" }
}
