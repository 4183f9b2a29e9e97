import BoxOffice
import Contract
import JSONCoding
import WebServer

/// Charts: of a day or a week, and over a range of days.
extension API {
    func day(_ word: Substring, _ request: WebRequest) async throws -> WebResponse {
        let date = try self.date(word, "date")
        let chart = try await model.chart(span: ReadModel.daySpan, firstDay: date, market: try market(of: request))
        return try found(chart, "no chart of \(date) is known yet").response(to: request)
    }

    func week(_ word: Substring, _ day: Substring, _ request: WebRequest) async throws -> WebResponse {
        guard let span = Week.Span(rawValue: String(word)) else {
            throw ContractError(.badRequest, "a span is week, weekend or weekdays", field: "span")
        }
        let week = Week(of: try date(day, "date"), span: span)
        let chart = try await model.chart(
            span: span.rawValue, firstDay: week.firstDay, market: try market(of: request))
        return try found(chart, "no \(span.rawValue) chart of \(week) is known yet").response(to: request)
    }

    func areas(_ request: WebRequest) throws -> WebResponse {
        let areas = Market.areas.map { Area(code: "\($0.area)", name: $0.name, nameEnglish: $0.nameEnglish) }
        return CacheableBody(try JSON.encode(["areas": areas]), contentType: .json).response(to: request)
    }

    func calendar(_ word: Substring, _ request: WebRequest) async throws -> WebResponse {
        guard word.count == 4, let year = Int(word), year >= KoreanDate.firstChart.year else {
            throw ContractError(.badRequest, "a year from \(KoreanDate.firstChart.year) on is expected", field: "year")
        }
        let days = try await model.calendar(year: year, market: try market(of: request))
        return CacheableBody(days, contentType: .json).response(to: request)
    }

    func history(_ request: WebRequest) async throws -> WebResponse {
        let (from, to, byWeek) = try range(of: request)
        let history = try await model.history(from: from, to: to, market: try market(of: request), byWeek: byWeek)
        return CacheableBody(history, contentType: .json).response(to: request)
    }

    func table(_ request: WebRequest) async throws -> WebResponse {
        let (from, to, byWeek) = try range(of: request)
        let market = try market(of: request)
        let table =
            byWeek
            ? CSV.table(ofWeeks: try await model.weekLines(from: from, to: to, market: market))
            : CSV.table(of: try await model.lines(from: from, to: to, market: market))
        return CacheableBody(table, contentType: "text/csv;charset=UTF-8").response(
            to: request,
            headers: [("Content-Disposition", "attachment; filename=\"marquee-\(from)-\(to).csv\"")])
    }

    /// More than a year is told by weeks, so that an answer is never much larger than that of a year.
    private func range(
        of request: WebRequest
    ) throws(ContractError) -> (from: KoreanDate, to: KoreanDate, byWeek: Bool) {
        let from = try date(request.query("from") ?? "", "from")
        let to = try date(request.query("to") ?? "", "to")
        guard from <= to else { throw ContractError(.badRequest, "from does not lie after to", field: "from") }
        return (from, to, to - from > 366)
    }
}

private struct Area: Encodable {
    let code: String
    let name: String
    let nameEnglish: String?
}
