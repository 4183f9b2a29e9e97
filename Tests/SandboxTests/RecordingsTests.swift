import BoxOffice
import Foundation
import TestSupport
import Testing

@testable import Sandbox

private let noon = Date(timeIntervalSince1970: 1_717_556_400)  // 2024-06-05 12:00 in Korea

@Suite struct RecordingsTests {
    private func recordings() throws -> Recordings {
        try Recordings(folder: Recorded.folder)
    }

    private func chartQuery(_ date: String, _ market: Market = .all) throws -> ChartQuery {
        ChartQuery(period: ChartPeriod(day: try #require(KoreanDate(date))), market: market)
    }

    @Test("a recorded day is served unchanged")
    func day() throws {
        let body = try recordings().chart(try chartQuery("2022-01-05"), at: noon)
        #expect(body == Array(try Recorded.data("kobis/daily/20220105.json")).trimmingNewline)
    }

    @Test("the version known at the time is served, the first before it, the last after it")
    func versions() throws {
        let recordings = try recordings()
        let files = try Recorded.files(in: "kobis/revisions/20260125")
        let first = Array(try Recorded.data(try #require(files.first))).trimmingNewline
        let last = Array(try Recorded.data(try #require(files.last))).trimmingNewline
        let query = try chartQuery("2026-01-25")
        #expect(recordings.chart(query, at: .distantFuture).trimmingNewline == last)
        #expect(recordings.chart(query, at: .distantPast).trimmingNewline == first)
        #expect(first != last)
    }

    @Test("filtered charts differ from the whole market, and a missing chart is empty")
    func markets() throws {
        let recordings = try recordings()
        let korean = recordings.chart(try chartQuery("2024-06-04", Market(nation: .korean)), at: noon)
        #expect(korean == Array(try Recorded.lines("kobis/daily-variants/2024-06.repNationCd=K.jsonl")[3]))
        #expect(korean != recordings.chart(try chartQuery("2024-06-04"), at: noon))
        let unknown = try chartQuery("2005-05-05")
        #expect(recordings.chart(unknown, at: noon) == unknown.body([]))
    }

    @Test("recorded weekends, movies and images are found")
    func others() throws {
        let recordings = try recordings()
        let week = Week(of: try #require(KoreanDate("2019-07-13")), span: .weekend)
        let weekend = ChartQuery(period: ChartPeriod(week), market: .all)
        #expect(String(decoding: recordings.chart(weekend, at: noon), as: UTF8.self).contains("201928"))
        #expect(
            recordings.movie(code: "2022B512", at: noon)
                == Array(try Recorded.data("kobis/movie/2022B512.json")).trimmingNewline)
        #expect(recordings.movie(code: "00000000", at: noon) == World.movieBody(nil))
        let posters = recordings.images(ImageQuery(text: "파묘 영화 포스터", page: 1, size: 80), base: "", at: noon)
        #expect(posters == Array(try Recorded.data("kakao/image/movie-poster-80.json")).trimmingNewline)
        let none = recordings.images(ImageQuery(text: "파묘", page: 1, size: 80), base: "", at: noon)
        #expect(String(decoding: none, as: UTF8.self).contains(#""documents":[]"#))
    }

    private struct DailyChart: Decodable {
        struct Result: Decodable {
            let dailyBoxOfficeList: [ChartLine]
        }

        let boxOfficeResult: Result
    }

    @Test("computed percentages equal the recorded ones")
    func percentages() throws {
        var count = 0
        for file in try Recorded.files(in: "kobis/daily-2024") {
            for line in try Recorded.lines(file) {
                let chart = try JSONDecoder().decode(DailyChart.self, from: Data(line))
                for entry in chart.boxOfficeResult.dailyBoxOfficeList {
                    let delta = try #require(Int(entry.salesInten))
                    let sales = try #require(Int(entry.salesAmt))
                    #expect(Percent(delta, of: sales - delta).description == entry.salesChange)
                    count += 1
                }
            }
        }
        #expect(count > 3000)
    }
}

extension [UInt8] {
    fileprivate var trimmingNewline: [UInt8] {
        last == UInt8(ascii: "\n") ? dropLast() : self
    }
}
