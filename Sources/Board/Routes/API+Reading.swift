import BoxOffice
import Contract
import JSONCoding
import OpenMarket
import Text
import WebServer

// MARK: - Charts

extension API {
    func day(_ date: Substring, _ request: WebRequest) async throws -> WebResponse {
        let date = try self.date(date, "date")
        let market = try market(of: request)
        return try await answers.response(to: request, "day/\(date)/\(market)") { [model] in
            try await model.chart(span: ReadModel.daySpan, firstDay: date, market: market)
        }
    }

    func week(_ span: Substring, _ day: Substring, _ request: WebRequest) async throws -> WebResponse {
        guard let span = Week.Span(rawValue: String(span)) else {
            throw ContractError(.badRequest, "span must be week, weekend or weekdays", field: "span")
        }
        let week = Week(of: try date(day, "date"), span: span)
        let market = try market(of: request)
        return try await answers.response(to: request, "\(span.rawValue)/\(week.firstDay)/\(market)") { [model] in
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
    static func table(of lines: [HistoryLine]) -> [UInt8] {
        table("date,line,rank,movieCode,title,audience,audienceTotal,sales,screens,showings", lines) { line in
            [line.day, "\(line.line)", number(line.rank), line.code, line.title.csvCell]
                + [line.audience, line.audienceTotal, line.sales, line.screens, line.showings].map(number)
        }
    }

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

// MARK: - Movies, their posters, and alerts

extension API {
    func movie(_ code: Substring, _ request: WebRequest) async throws -> WebResponse {
        guard let code = MovieCode(code) else {
            throw ContractError(.badRequest, "code must be 8 characters of 0-9 and A-Z", field: "code")
        }
        return try await answers.response(to: request, "movie/\(code)") { [model] in try await model.movie(code) }
    }

    /// Answers with the English words of the council's closed vocabularies, by vocabulary and Korean word.
    func vocabulary(_ request: WebRequest) throws -> WebResponse {
        let words = MovieVocabulary.allCases.map { ($0.rawValue, $0.words) }
        return CacheableBody(
            try JSON.encode(Dictionary(uniqueKeysWithValues: words)), contentType: .json
        ).response(to: request)
    }

    func poster(_ code: Substring, _ version: Substring, _ request: WebRequest) async throws -> WebResponse {
        guard let code = MovieCode(code), let size = ImageSize(rawValue: request.query("size") ?? "small") else {
            throw ContractError(
                .badRequest, "code must be 8 characters of 0-9 and A-Z, and size small, large or full", field: "size")
        }
        // Messages of the notifier show posters in mail and on the pages of chats.
        // The image at an address never changes, so a client that has one needs no other.
        let tag = "W/\"\(code)-\(size.rawValue)\""
        let cacheControl = "public, max-age=31536000, immutable"
        if request.hasCached(tag) {
            return .notModified(tag, contentType: "image/jpeg", cacheControl: cacheControl).forOtherSites()
        }
        guard let image = try await posterImage(code, version, size) else {
            throw ContractError(
                .notFound, "the movie \(code) has no poster of this version, or its host does not send it")
        }
        return CacheableBody(image, contentType: "image/jpeg", isCompressible: false, entityTag: tag)
            .response(to: request, cacheControl: cacheControl).forOtherSites()
    }

    /// Returns a movie's poster as a JPEG, fetched only from the URLs that its event names; nil if it has none, or none of
    /// this version.
    private func posterImage(_ code: MovieCode, _ version: Substring, _ size: ImageSize) async throws -> [UInt8]? {
        guard let poster = try await model.poster(code), poster.version == version else { return nil }
        for url in [poster.image.imageURL, poster.image.thumbnailURL] {
            if let bytes = await images.image(at: url, size, changedAt: poster.found) { return bytes }
        }
        return nil
    }

    func alerts(_ request: WebRequest) async throws -> WebResponse {
        let before = request.query("before").map { SequenceNumber($0) }
        let limit = request.query("limit").map { Int($0) } ?? 50
        guard before != .some(nil), let limit, (1...200).contains(limit) else {
            throw ContractError(
                .badRequest, "before must be a sequence number of 16 digits, and limit from 1 to 200", field: "limit")
        }
        let (rule, movie) = (try request.filter("rule"), try request.filter("movie"))
        let place = before.flatMap { $0?.description } ?? ""
        // A filter may have any character, so each is preceded by its length.
        let address = "alerts/\(place)/\(limit)/\(rule?.utf8.count ?? -1)/\(rule ?? "")/\(movie ?? "")"
        let isFiltered = rule != nil || movie != nil
        // A filter that few alerts or none fit reads all of them.
        return try await answers.response(to: request, address, isHeavy: isFiltered) { [model] in
            try await model.alerts(before: before ?? nil, rule: rule, movie: movie, limit: limit)
        }
    }
}

extension WebRequest {
    /// The longest filter in bytes: what the page's field holds.
    private static let longestFilter = 300

    /// Returns the text of a filter in the query; nil if it is missing or empty.
    fileprivate func filter(_ name: String) throws(ContractError) -> String? {
        guard let text = query(name), !text.isEmpty else { return nil }
        // In bytes: one character can have any number of them.
        guard text.utf8.count <= Self.longestFilter else {
            throw ContractError(
                .badRequest, "\(name) must have at most \(Self.longestFilter) bytes", field: name)
        }
        return text
    }
}

// MARK: - The Open Market's products

extension API {
    /// Answers whether there is a shop, whether anybody may write there, and whether this visitor may.
    func shop(_ request: WebRequest) async throws -> WebResponse {
        var isOpen = hasOpenMarket
        if !isOpen { isOpen = try await model.hasProducts() }
        let answer = [
            "isOpen": isOpen, "canBeWritten": sessions.isEnabled, "isSignedIn": isSignedIn(request),
        ]
        return .json(try JSON.encode(answer), headers: [WebResponse.noStore])
    }

    /// Answers `products` and the addresses below it, of which `path` has the parts.
    func products(_ path: ArraySlice<Substring>, _ request: WebRequest) async throws -> WebResponse {
        guard let number = path.first else { return try await productPage(request) }
        guard let id = ProductID(number) else {
            throw ContractError(.badRequest, "a product's id must be a number from 1 on", field: "product")
        }
        switch (path.count, path.dropFirst().first) {
        case (1, _):
            return try await answers.response(to: request, "product/\(id)") { [model] in try await model.product(id) }
        case (3, "images"): return try await image(of: id, path[path.startIndex + 2], request)
        default: throw ContractError(.notFound, "the board's API has no such address")
        }
    }

    private func productPage(_ request: WebRequest) async throws -> WebResponse {
        guard let page = Int(request.query("page") ?? "1"), page > 0,
            let perPage = Int(request.query("perPage") ?? "20"), ProductPage.perPage.contains(perPage)
        else {
            throw ContractError(
                .badRequest, "page must be a number from 1 on, and perPage a number from 1 to 100", field: "page")
        }
        return try await answers.response(to: request, "products/\(page)/\(perPage)") { [model] in
            try await model.productPage(page, perPage: perPage)
        }
    }

    private func image(of id: ProductID, _ version: Substring, _ request: WebRequest) async throws -> WebResponse {
        guard let size = ImageSize(rawValue: request.query("size") ?? "small") else {
            throw ContractError(.badRequest, "size must be small, large or full", field: "size")
        }
        guard let url = try await model.imageURL(of: id, version: String(version)),
            let image = await images.image(at: url, size)
        else {
            throw ContractError(.notFound, "the product \(id) has no such image, or its host does not send it")
        }
        // The image at the market's URL may change: browsers ask again after ten minutes, with its ETag.
        return CacheableBody(image, contentType: "image/jpeg", isCompressible: false)
            .response(to: request, cacheControl: "public, max-age=600")
    }
}
