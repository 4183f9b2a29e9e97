import BoxOffice
import FoundationEssentials
import TestSupport

@testable import Upstreams

/// The recorded charts as the endpoint reads them.
enum RecordedCharts {
    /// A file with one chart.
    static func chart(_ path: String) throws -> [ChartEntry] {
        try Sample.chart(Recorded.data(path))
    }

    /// Files with one chart each.
    static var singleFiles: [String] {
        get throws { try Recorded.files(in: "kobis/daily") + revisedDays.flatMap { try Recorded.files(in: $0) } }
    }

    /// Folders with the versions of one day's chart, each named by the day.
    static var revisedDays: [String] {
        get throws { try Recorded.files(in: "kobis/revisions") }
    }

    /// The settled charts of consecutive days, February to November 2024.
    static func settled2024() throws -> [[ChartEntry]] {
        try Recorded.files(in: "kobis/daily-2024").flatMap { try Recorded.lines($0) }.map { try Sample.chart($0) }
    }
}
