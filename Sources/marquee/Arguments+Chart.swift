import BoxOffice
import FoundationEssentials

extension Arguments {
    /// The day that a positional argument names.
    func date(_ text: String) throws(UsageError) -> KoreanDate {
        guard let date = text == "yesterday" ? .yesterday(at: Date()) : KoreanDate(text) else {
            throw UsageError("DATE is YYYY-MM-DD, YYYYMMDD or yesterday, not \(text.debugDescription)")
        }
        return date
    }

    /// The market that `--nation`, `--films` and `--area` select.
    func market() throws(UsageError) -> Market {
        Market(
            nation: try value("--nation", expected: "K or F") { Market.Nation(rawValue: $0) },
            films: try value("--films", expected: "diverse or commercial") { Market.Films(rawValue: $0) },
            area: try value("--area", expected: "a code of seven digits") { Market.Area($0) })
    }
}
