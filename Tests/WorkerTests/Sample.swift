import BoxOffice
import Contract

@testable import Worker

/// Made-up values for tests.
enum Sample {
    static let day = date("2024-06-04")
    static let chart = Request(.day(day, .all))
    /// The same, which the log does not answer by itself.
    static let newChart = Request(.day(day, .all), refresh: true)

    static func date(_ text: String) -> KoreanDate {
        guard let date = KoreanDate(text) else { preconditionFailure("\(text) is no day of the calendar") }
        return date
    }

    static func code(_ text: String) -> MovieCode {
        guard let code = MovieCode(text) else { preconditionFailure("\(text) is no movie code") }
        return code
    }

    static func id(_ text: String) -> RequestID {
        guard let id = RequestID(text) else { preconditionFailure("\(text) is no id") }
        return id
    }
}
