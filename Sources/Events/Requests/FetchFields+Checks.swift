import BoxOffice
import FoundationEssentials

extension FetchFields {
    /// The market that the filters select.
    func market() throws(Failure) -> Market {
        var market = Market.all
        if let nation {
            guard let known = Market.Nation(rawValue: nation) else {
                throw Failure(.badRequest, "nation is K or F", field: "nation")
            }
            market.nation = known
        }
        if let films {
            guard let known = Market.Films(rawValue: films) else {
                throw Failure(.badRequest, "films is diverse or commercial", field: "films")
            }
            market.films = known
        }
        if let area {
            guard let code = Market.Area(area) else {
                throw Failure(.badRequest, "area is a code of seven digits, such as 0105001", field: "area")
            }
            market.area = code
        }
        return market
    }

    /// The day asked for, between the first chart's and yesterday's.
    func day(at now: Date) throws(Failure) -> KoreanDate {
        let yesterday = KoreanDate.yesterday(at: now)
        guard let date else { throw Failure(.badRequest, "date is needed", field: "date") }
        guard let day = date == "yesterday" ? yesterday : KoreanDate(date) else {
            throw Failure(.badRequest, "date is YYYY-MM-DD, YYYYMMDD or yesterday", field: "date")
        }
        guard (KoreanDate.firstChart...yesterday).contains(day) else {
            throw Failure(
                .dateOutOfRange, "charts reach from \(KoreanDate.firstChart) to \(yesterday), yesterday in Korea",
                field: "date")
        }
        return day
    }

    /// The week asked for by a day of it, its weekend if no span is given; it need not be over.
    func week(at now: Date) throws(Failure) -> Week {
        let date = try day(at: now)
        guard let span = Week.Span(rawValue: span ?? Week.Span.weekend.rawValue) else {
            throw Failure(.badRequest, "span is week, weekend or weekdays", field: "span")
        }
        return Week(of: date, span: span)
    }

    /// The movie asked for.
    func movieCode() throws(Failure) -> MovieCode {
        guard let code else { throw Failure(.badRequest, "code is needed", field: "code") }
        guard let movie = MovieCode(code) else {
            throw Failure(.badRequest, "code has eight characters of 0-9 and A-Z", field: "code")
        }
        return movie
    }

    /// The client's own id, if it gave one.
    func requestID() throws(Failure) -> RequestID? {
        try id.map { id throws(Failure) in try RequestID(checking: id) }
    }
}
