import BoxOffice
import Contract
import FoundationEssentials
import Notifier
import OpenMarket

/// Formats an event as a line of `marquee watch`.
struct EventFormatter {
    let event: Event

    /// The time of day in Korea, the topic and a summary of the data.
    var text: String {
        // An event of another version may have data that this version cannot decode; the other events are still printed.
        "\(TerminalColor.dim.paint(event.time.koreanTime))  \(event.topic)  \((try? summary) ?? "(cannot be read)")"
    }

    /// The text of an alert.
    private struct AlertBody: Decodable {
        let text: Alert.Text
    }

    private var summary: String {
        get throws {
            switch event.topic {
            case .ranking, .weekRanking:
                let chart = try event.data(as: Chart.self)
                let leader = chart.entries.first.map { "1위 \($0.title) \($0.audience?.grouped ?? "?")명" } ?? "-"
                return "\(leader) · \(chart.state.rawValue) · revision \(chart.revision)"
            case .movie: return try event.data(as: Movie.self).title
            case .poster: return try event.data(as: Poster.self).image?.imageURL ?? "no picture"
            case .products:
                let page = try event.data(as: ProductPage.self)
                return "\(page.page)/\(page.lastPage) · \(page.products.count) products"
            case .product: return try event.data(as: Product.self).name
            case .productRemoved: return try event.data(as: RemovedProduct.self).product?.name ?? "-"
            case .request(.failed, _):
                let failure = try event.data(as: RequestFailed.self).error
                return "\(failure.code.rawValue): \(failure.message)"
            case .request(.done, _): return "from \(try event.data(as: RequestDone.self).from.rawValue)"
            case .request(.accepted, _): return try event.data(as: RequestAccepted.self).topic
            case .anomaly: return try event.data(as: Anomaly.self).text
            case .alert, .anomalyAlert, .productAlert:
                let text = try event.data(as: AlertBody.self).text
                return "\(text.ko)  \(TerminalColor.dim.paint(text.en))"
            }
        }
    }
}

extension Date {
    /// The time of day in Korea, `15:23:00`.
    var koreanTime: String {
        let day = KoreanDate(at: self)
        let seconds = Int(timeIntervalSince(day.start))
        return [seconds / 3600, seconds / 60 % 60, seconds % 60]
            .map { String(String(100 + $0).dropFirst()) }.joined(separator: ":")
    }
}
