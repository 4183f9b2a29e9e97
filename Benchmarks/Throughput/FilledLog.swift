import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import JSONCoding
import Storage
import Worker

/// A worker's data folder that holds the charts of many days, without having asked anybody for them.
struct FilledLog {
    let folder: String

    /// Logs the charts of `days` days from the first one on.
    func make(days: Int) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let database = try Database(path: "\(folder)/worker.db", schema: WorkerProcess.schema)
        let log = try await database.read { try EventLog(source: "/marquee/worker", in: $0) }
        for first in stride(from: 0, to: days, by: 500) {
            let drafts = try (first..<min(first + 500, days)).map { number in
                let date = KoreanDate.firstChart + number
                let chart = Chart(date: date, market: .all, state: .settled, entries: try entries(number))
                return EventDraft(.ranking(day: date, market: .all), data: chart.json)
            }
            _ = try await database.write { try log.append(drafts, at: Date(), in: $0) }
        }
        await database.close()
    }

    /// Ten lines with all their figures, as long as real ones.
    ///
    /// Once a week a movie leaves, another enters, and all change places: about as many alerts as the sandbox's charts fire.
    private func entries(_ day: Int) throws -> [ChartEntry] {
        let before = movies(ofWeek: (day - 1) / 7)
        return try movies(ofWeek: day / 7).enumerated().map { index, movie in
            let line = index + 1
            let rankBefore = before.firstIndex(of: movie).map { $0 + 1 }
            var entry = ChartEntry(
                line: line, rank: line, rankChange: (rankBefore ?? line) - line, isNew: rankBefore == nil,
                movieCode: try code(movie), title: "바람이 머무는 언덕의 \(movie + 1)번째 여름")
            entry.openDate = .firstChart + day - line
            entry.sales = 264_355_728 / line
            entry.salesShare = Percent(tenths: 277 / line)
            entry.salesDelta = -21_557_718 / line
            entry.salesChange = Percent(tenths: -75)
            entry.salesTotal = 11_463_580_547 / line
            entry.audience = 26_374 / line
            entry.audienceDelta = -2004 / line
            entry.audienceChange = Percent(tenths: -71)
            entry.audienceTotal = 1_105_780 / line
            entry.screens = 1263 / line
            entry.showings = 3588 / line
            return entry
        }
    }

    /// The movies of a week, by their ranks.
    private func movies(ofWeek week: Int) -> [Int] {
        (0..<10).map { week + 1 + ($0 + 3 * week) % 10 }
    }
}
