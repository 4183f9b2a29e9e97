import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import Glibc
import JSONCoding
import Networking
import Storage
import Upstreams

/// How long it takes to read a recorded chart, our way and with Foundation's decoder, and then as an event of the log.
struct ChartReading {
    private let response: HTTPResponse
    private let day: KoreanDate
    private let count = 2_000

    init(recording path: String, of day: String) throws {
        guard let day = KoreanDate(day) else { fatalError("\(day) is no day of the calendar") }
        self.day = day
        response = HTTPResponse(body: try Data(contentsOf: URL(filePath: path)))
    }

    /// Prints a name and the microseconds that each way takes for one chart.
    func run(folder: String) async throws {
        let endpoint = Kobis(url: "", key: "").dailyChart(day, market: .all)
        let chart = Chart(date: day, market: .all, state: .settled, entries: try endpoint.read(response).value)
        guard try Plain.entries(response.body) == chart.entries else { fatalError("the two ways read differently") }
        let event = try await logged(chart, in: folder)
        try report("recorded") { try endpoint.read(response).value.count }
        try report("recorded, Foundation") { try Plain.entries(response.body).count }
        try report("logged") { try event.data(as: Chart.self).entries.count }
        try report("received") {
            try Event(topic: event.topic, body: event.body).data(as: Chart.self).entries.count
        }
    }

    private func logged(_ chart: Chart, in folder: String) async throws -> LoggedEvent {
        let database = try Database(path: "\(folder)/charts.db", schema: Schema("test", version: 1, EventLog.tables))
        let draft = EventDraft(.ranking(day: day, market: .all), data: chart.json)
        let event = try await database.write { connection in
            try EventLog(source: "/marquee/benchmark", in: connection).append([draft], at: Date(), in: connection)[0]
        }
        await database.close()
        return event
    }

    private func report(_ name: String, _ read: () throws -> Int) rethrows {
        var lines = 0
        let began = clock()  // the processor's time, which neighbours do not lengthen
        for _ in 0..<count { lines += try read() }
        let microseconds = Double(clock() - began) / Double(count)
        print("\(name)\t\(microseconds)\t\(lines / count)")
    }
}

/// The recorded chart as one reads it with synthesized `Decodable` alone.
private struct Plain: Decodable {
    struct Result: Decodable {
        let dailyBoxOfficeList: [Line]
    }

    struct Line: Decodable {
        let rnum, rank, rankInten, rankOldAndNew, movieCd, movieNm, openDt, salesAmt, salesShare, salesInten: String
        let salesChange, salesAcc, audiCnt, audiInten, audiChange, audiAcc, scrnCnt, showCnt: String
    }

    let boxOfficeResult: Result

    static func entries(_ body: Data) throws -> [ChartEntry] {
        try JSONDecoder().decode(Plain.self, from: body).boxOfficeResult.dailyBoxOfficeList.compactMap { line in
            guard let number = Int(line.rnum), let code = MovieCode(line.movieCd) else { return nil }
            var entry = ChartEntry(
                line: number, rank: Int(line.rank), rankChange: Int(line.rankInten), isNew: line.rankOldAndNew == "NEW",
                movieCode: code, title: line.movieNm)
            entry.openDate = KoreanDate(line.openDt)
            entry.sales = Int(line.salesAmt)
            entry.salesShare = Percent(line.salesShare)
            entry.salesDelta = Int(line.salesInten)
            entry.salesChange = Percent(line.salesChange)
            entry.salesTotal = Int(line.salesAcc)
            entry.audience = Int(line.audiCnt)
            entry.audienceDelta = Int(line.audiInten)
            entry.audienceChange = Percent(line.audiChange)
            entry.audienceTotal = Int(line.audiAcc)
            entry.screens = Int(line.scrnCnt)
            entry.showings = Int(line.showCnt)
            return entry
        }
    }
}
