import BoxOffice
import FoundationEssentials

extension FetchFields {
    /// The market that the filters select.
    func market() throws(ContractError) -> Market {
        var market = Market.all
        if let nation {
            guard let known = Market.Nation(rawValue: nation) else {
                throw ContractError(.badRequest, "nation is K or F", field: "nation")
            }
            market.nation = known
        }
        if let films {
            guard let known = Market.Films(rawValue: films) else {
                throw ContractError(.badRequest, "films is diverse or commercial", field: "films")
            }
            market.films = known
        }
        if let area {
            guard let code = Market.Area(area) else {
                throw ContractError(.badRequest, "area is a code of seven digits, such as 0105001", field: "area")
            }
            market.area = code
        }
        return market
    }

    /// The day asked for, between the first chart's and yesterday's.
    func day(at now: Date) throws(ContractError) -> KoreanDate {
        let yesterday = KoreanDate.yesterday(at: now)
        guard let date else { throw ContractError(.badRequest, "date is needed", field: "date") }
        guard let day = date == "yesterday" ? yesterday : KoreanDate(date) else {
            throw ContractError(.badRequest, "date is YYYY-MM-DD, YYYYMMDD or yesterday", field: "date")
        }
        guard (KoreanDate.firstChart...yesterday).contains(day) else {
            throw ContractError(
                .dateOutOfRange, "charts reach from \(KoreanDate.firstChart) to \(yesterday), yesterday in Korea",
                field: "date")
        }
        return day
    }

    /// The week asked for by a day of it, its weekend if no span is given; it need not be over.
    func week(at now: Date) throws(ContractError) -> Week {
        let date = try day(at: now)
        guard let span = Week.Span(rawValue: span ?? Week.Span.weekend.rawValue) else {
            throw ContractError(.badRequest, "span is week, weekend or weekdays", field: "span")
        }
        return Week(of: date, span: span)
    }

    /// The movie asked for.
    func movieCode() throws(ContractError) -> MovieCode {
        guard let code else { throw ContractError(.badRequest, "code is needed", field: "code") }
        guard let movie = MovieCode(code) else {
            throw ContractError(.badRequest, "code has eight characters of 0-9 and A-Z", field: "code")
        }
        return movie
    }

    /// The client's own id, if it gave one.
    func requestID() throws(ContractError) -> RequestID? {
        try id.map { id throws(ContractError) in try RequestID(checking: id) }
    }
}
