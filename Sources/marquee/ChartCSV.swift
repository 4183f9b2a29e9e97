import BoxOffice
import Contract
import EventStore

/// Charts as rows of a table by RFC 4180, without the line feed that ends each.
enum ChartCSV {
    /// The names of the columns.
    static let head = row(
        ["date", "market", "state", "revision", "learnt"] + ChartEntry.Field.allCases.map(\.rawValue))

    /// A row for each line of a chart.
    static func rows(of revision: ChartRevision) -> [String] {
        let chart = revision.chart
        let learnt = Timestamp.text(revision.recordedAt)
        let start = ["\(chart.date)", "\(chart.market)", chart.state.rawValue, "\(chart.revision)", learnt]
        return chart.entries.map { entry in
            row(start + ChartEntry.Field.allCases.map { entry[$0].bare })
        }
    }

    private static let quote = UInt8(ascii: "\"")
    private static let special = Array("\",\r\n".utf8)

    private static func row(_ cells: [String]) -> String {
        cells.map(quoted).joined(separator: ",") + "\r"
    }

    /// A cell; one that holds what separates cells or rows stands in quotes.
    private static func quoted(_ cell: String) -> String {
        // By its bytes: a quote with a mark on it is another letter, and a carriage return with a line feed is one.
        guard cell.utf8.contains(where: special.contains) else { return cell }
        let doubled = cell.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] }
        return "\"" + String(decoding: doubled, as: UTF8.self) + "\""
    }
}

extension ChartEntry.Value {
    /// The value as programs read it; nothing where the source has none.
    fileprivate var bare: String {
        switch self {
        case .null: ""
        case .flag(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .percent(let percent): "\(percent)"
        case .text(let text): text
        }
    }
}
