import BoxOffice
import Contract
import FoundationEssentials
import Notifier
import OpenMarket
import Text

/// Formats an event as a line of `marquee watch`.
struct EventFormatter {
    let event: Event
    var language = Language.current

    /// The time in Korea, the topic and a summary of the data.
    var text: String {
        // An event of another version may have data that this version cannot decode; the other events are still printed.
        let summary = (try? summary) ?? language("(읽을 수 없음)", "(cannot be read)")
        return "\(TerminalColor.dim.paint(event.time.koreanText))  \(event.topic)  \(summary)"
    }

    private struct AlertBody: Decodable {
        let text: Alert.Text
    }

    private var summary: String {
        get throws {
            switch event.topic {
            case .ranking, .weekRanking:
                let chart = try event.data(as: Chart.self)
                let leader = chart.entries.first.map { first in
                    let audience = first.audience?.grouped ?? "?"
                    return language("1위 〈\(first.title)〉 \(audience)명", "1. \(first.title), \(audience) admissions")
                }
                let revision = language("\(chart.revision)차 집계", "revision \(chart.revision)")
                return "\(leader ?? "-") · \(chart.state.name(in: language)) · \(revision)"
            case .movie: return try event.data(as: Movie.self).title
            case .poster: return try event.data(as: Poster.self).image?.imageURL ?? language("포스터 없음", "no poster")
            case .products:
                let page = try event.data(as: ProductPage.self)
                return
                    "\(page.page)/\(page.lastPage) · \(language("상품 \(page.products.count)개", "\(page.products.count) products"))"
            case .product: return try event.data(as: Product.self).name
            case .productRemoved: return try event.data(as: RemovedProduct.self).product?.name ?? "-"
            case .request(.failed, _):
                let failed = try event.data(as: RequestFailed.self)
                return failed.error.summary(of: RequestTopic(rawValue: failed.topic), in: language)
            case .request(.done, _):
                return switch try event.data(as: RequestDone.self).from {
                case .log: language("이벤트 로그에서 응답", "from the log")
                case .upstream: language("외부 서비스에서 수집", "from the upstream")
                }
            case .request(.accepted, _): return try event.data(as: RequestAccepted.self).topic
            case .anomaly:
                let anomaly = try event.data(as: Anomaly.self)
                let movie = anomaly.title.map { " 〈\($0)〉" } ?? ""
                return language("\(anomaly.date) 박스오피스\(movie): \(anomaly.reason)", anomaly.text)
            case .alert:
                let text = try event.data(as: AlertBody.self).text
                return language(text.ko, text.en)
            }
        }
    }
}

extension Date {
    /// Returns a time of the wire, such as `2026-11-24T20:13:57Z`, as day and time in Korea.
    static func koreanText(of text: String) -> String {
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
        guard let instant = try? Date(text, strategy: format) else { return text }
        return instant.koreanText
    }

    /// The day and the time of day in Korea, `2024-06-05 15:23:00`.
    var koreanText: String {
        let day = KoreanDate(at: self)
        let seconds = Int(timeIntervalSince(day.start))
        let time = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { String(String(100 + $0).dropFirst()) }
        return "\(day) \(time.joined(separator: ":"))"
    }
}
