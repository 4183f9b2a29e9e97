import BoxOffice
import Contract
import FoundationEssentials
import JSONCoding
import OpenMarket

@testable import Notifier

/// An alert for Foundation's encoder, whose bytes the alert's own JSON has to have.
struct EncodableAlert: Encodable {
    let rule: AlertRule
    let date: KoreanDate
    let market: Market?
    @Nullable var movieCode: MovieCode?
    let product: ProductID?
    @Nullable var title: String?
    @Nullable var rank: Int?
    @Nullable var previousRank: Int?
    @Nullable var change: Int?
    let severity: Alert.Severity
    let values: [String: EncodableFigure]
    let text: [String: String]
    let evidence: [EncodableEvidence]
    let retracts: String?

    init(_ alert: Alert) {
        (rule, date, market) = (alert.rule, alert.date, alert.market)
        (product, severity, retracts) = (alert.product, alert.severity, alert.retracts)
        values = alert.values.mapValues(EncodableFigure.init)
        text = ["ko": alert.text.ko, "en": alert.text.en]
        evidence = alert.evidence.map { EncodableEvidence(stream: $0.stream, sequence: $0.sequence) }
        _movieCode = Nullable(wrappedValue: alert.movieCode)
        _title = Nullable(wrappedValue: alert.title)
        _rank = Nullable(wrappedValue: alert.rank)
        _previousRank = Nullable(wrappedValue: alert.previousRank)
        _change = Nullable(wrappedValue: alert.change)
    }
}

struct EncodableEvidence: Encodable {
    let stream: Contract.Stream
    let sequence: SequenceNumber
}

struct EncodableFigure: Encodable {
    let figure: TemplateValue

    init(_ figure: TemplateValue) {
        self.figure = figure
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch figure {
        case .null: try container.encodeNil()
        case .integer(let integer): try container.encode(integer)
        case .percent(let percent): try container.encode(Decimal(percent.tenths) / 10)
        case .amount(let amount): try container.encode(amount)
        case .text(let text): try container.encode(text)
        }
    }
}
