import BoxOffice
import FoundationEssentials

/// A chart for Foundation's encoder, whose bytes the chart's own JSON has to have.
struct EncodableChart: Encodable {
    let chart: Chart

    private enum Key: CodingKey {
        case corrections
        case date
        case entries
        case market
        case revision
        case state
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(chart.corrections?.map(EncodableCorrection.init), forKey: .corrections)
        try container.encode(chart.date, forKey: .date)
        try container.encode(chart.entries.map(EncodableEntry.init), forKey: .entries)
        try container.encode(chart.market, forKey: .market)
        try container.encode(chart.revision, forKey: .revision)
        try container.encode(chart.state, forKey: .state)
    }
}

private struct EncodableEntry: Encodable {
    let line, rank, rankChange: Int?
    let isNew: Bool
    let movieCode: MovieCode
    let title: String
    let openDate: KoreanDate?
    let sales, salesDelta, salesTotal: Int?
    let salesShare, salesChange: Decimal?
    let audience, audienceDelta, audienceTotal: Int?
    let audienceChange: Decimal?
    let screens, showings: Int?

    init(_ entry: ChartEntry) {
        (line, rank, rankChange, isNew) = (entry.line, entry.rank, entry.rankChange, entry.isNew)
        (movieCode, title, openDate) = (entry.movieCode, entry.title, entry.openDate)
        (sales, salesDelta, salesTotal) = (entry.sales, entry.salesDelta, entry.salesTotal)
        (salesShare, salesChange) = (entry.salesShare.map(decimal), entry.salesChange.map(decimal))
        (audience, audienceDelta) = (entry.audience, entry.audienceDelta)
        (audienceTotal, audienceChange) = (entry.audienceTotal, entry.audienceChange.map(decimal))
        (screens, showings) = (entry.screens, entry.showings)
    }

    private enum Key: CodingKey {
        case line, rank, rankChange, isNew, movieCode, title, openDate, sales, salesShare, salesDelta, salesChange
        case salesTotal, audience, audienceDelta, audienceChange, audienceTotal, screens, showings
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(line, forKey: .line)
        try container.encode(rank, forKey: .rank)
        try container.encode(rankChange, forKey: .rankChange)
        try container.encode(isNew, forKey: .isNew)
        try container.encode(movieCode, forKey: .movieCode)
        try container.encode(title, forKey: .title)
        try container.encode(openDate, forKey: .openDate)
        try container.encode(sales, forKey: .sales)
        try container.encode(salesShare, forKey: .salesShare)
        try container.encode(salesDelta, forKey: .salesDelta)
        try container.encode(salesChange, forKey: .salesChange)
        try container.encode(salesTotal, forKey: .salesTotal)
        try container.encode(audience, forKey: .audience)
        try container.encode(audienceDelta, forKey: .audienceDelta)
        try container.encode(audienceChange, forKey: .audienceChange)
        try container.encode(audienceTotal, forKey: .audienceTotal)
        try container.encode(screens, forKey: .screens)
        try container.encode(showings, forKey: .showings)
    }
}

private struct EncodableCorrection: Encodable {
    let correction: Correction

    private enum Key: CodingKey {
        case after
        case before
        case field
        case movieCode
    }

    init(_ correction: Correction) {
        self.correction = correction
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(correction.movieCode, forKey: .movieCode)
        switch correction.change {
        case .field(let field, let before, let after):
            try container.encode(field.rawValue, forKey: .field)
            try container.encode(EncodableValue(value: before), forKey: .before)
            try container.encode(EncodableValue(value: after), forKey: .after)
        case .entry(let before, let after):
            try container.encode("entry", forKey: .field)
            try container.encode(before.map(EncodableEntry.init), forKey: .before)
            try container.encode(after.map(EncodableEntry.init), forKey: .after)
        }
    }
}

private struct EncodableValue: Encodable {
    let value: ChartEntry.Value

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .null: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .integer(let integer): try container.encode(integer)
        case .percent(let percent): try container.encode(decimal(percent))
        case .text(let text): try container.encode(text)
        }
    }
}

private func decimal(_ percent: Percent) -> Decimal { Decimal(percent.tenths) / 10 }
