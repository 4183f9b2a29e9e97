import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import JSONCoding
import Networking
import Storage
import TestSupport
import Testing
import Upstreams

@testable import Worker

/// Anomalies in the worker's log, beside the charts and failures that they are about.
@Suite(.patience) struct AnomalyTests {
    private func chart(_ total: Int) -> FetchResult {
        var chart = Sample.chart(total / 10)
        chart.entries[0].audienceTotal = total
        return FetchResult(fetched: [.chart(chart)], source: .upstream)
    }

    @Test("an implausible chart is published, and its anomaly once, in the same commit, after it")
    func beside() async throws {
        let harness = try await WorkerHarness()
        for (id, total) in [("a", 90_000), ("b", 80_000), ("c", 70_000)] {
            let request = Request(.day(Sample.day, .all), refresh: true, priority: id == "b" ? .backfill : .live)
            let accepted = try await harness.accept(request, as: id)
            let anomalies = try await harness.settle(accepted, with: chart(total), askedAt: WorkerHarness.noon)
            #expect(anomalies?.map(\.kind) == (id == "b" ? [.shrunk] : []))
        }
        let chart = "ranking.day.all.2024-06-04"
        #expect(
            harness.topics.filter { !$0.hasPrefix("request.accepted") }
                == [
                    chart, "request.done.a", chart, "anomaly.shrunk.2024-06-04", "request.done.b", chart,
                    "request.done.c",
                ])
        let told = try #require(harness.events("anomaly").first)
        #expect(try told.priority == .backfill)
        let event = try Event(topic: told.topic, body: told.body)
        #expect(event.id == "anomaly.shrunk.2024-06-04.all")
        #expect(event.correlationID == Sample.id("b"))
        #expect(try event.data(as: Anomaly.self).found == 80_000)
        let done = try #require(harness.events("request.done.b").first).data(as: RequestDone.self)
        #expect(done.events.map(\.topic) == [chart])
    }

    @Test("a field that cannot be read is told once, after the chart that lacks it")
    func unreadable() async throws {
        let harness = try await WorkerHarness()
        let line =
            #"{"rnum":"1","rank":"1","movieCd":"20240001","movieNm":"첫눈","audiCnt":"7","showCnt":"x","salesAmt":[]}"#
        let body = Data(#"{"boxOfficeResult":{"dailyBoxOfficeList":[\#(line)]}}"#.utf8)
        let kobis = Kobis(url: "http://127.0.0.1:9", key: "0123abcd")
        let reading = try kobis.dailyChart(Sample.day, market: .all).read(HTTPResponse(body: body))
        for (id, state) in [("a", Chart.State.provisional), ("b", .settled)] {
            var result = FetchResult(source: .upstream)
            result.add(reading) { .chart(Chart(date: Sample.day, market: .all, state: state, entries: $0)) }
            let accepted = try await harness.accept(Request(.day(Sample.day, .all), refresh: true), as: id)
            let anomalies = try await harness.settle(accepted, with: result, askedAt: WorkerHarness.noon)
            let fields = ["dailyBoxOfficeList.salesAmt", "dailyBoxOfficeList.showCnt"]
            #expect(anomalies?.compactMap(\.field) == (id == "a" ? fields : []))
        }
        #expect(
            harness.events("anomaly").map(\.topic.description)
                == Array(repeating: "anomaly.unreadable.2024-06-04", count: 2))
    }

    @Test("a movie's field that cannot be read is told of the day on which it was read, with the movie")
    func unreadableMovie() async throws {
        let harness = try await WorkerHarness()
        let info = #"{"movieCd":"20240001","movieNm":"첫눈","showTm":"long"}"#
        let reading = try Kobis(url: "http://127.0.0.1:9", key: "0123abcd").movie(Sample.code("20240001"))
            .read(HTTPResponse(body: Data(#"{"movieInfoResult":{"movieInfo":\#(info)}}"#.utf8)))
        var result = FetchResult(source: .upstream)
        result.add(reading) { .movie($0) }
        let accepted = try await harness.accept(Request(.movie(Sample.code("20240001"), poster: false)), as: "a")
        let anomalies = try await harness.settle(accepted, with: result, askedAt: WorkerHarness.noon)
        let anomaly = try #require(anomalies?.first)
        #expect(anomaly.date == KoreanDate(at: WorkerHarness.noon))
        #expect(anomaly.movieCode == Sample.code("20240001") && anomaly.title == "첫눈")
        #expect(anomaly.text.hasPrefix("the answer for movie.20240001 has a value that cannot be read"))
    }

    @Test("a day before that cannot be read costs no other day")
    func unreadableDayBefore() async throws {
        let harness = try await WorkerHarness()
        try await harness.database.write { connection in
            let draft = EventDraft(.ranking(day: Sample.day - 1, market: .all), data: Array("{}".utf8))
            _ = try harness.store.log.append([draft], at: WorkerHarness.noon, in: connection)
        }
        let accepted = try await harness.accept(Sample.chart, as: "a")
        let anomalies = try await harness.settle(
            accepted, with: Sample.result(10), askedAt: WorkerHarness.noon)
        #expect(anomalies == [])
        let movies = try await harness.store.read {
            try BackfillStore($0).unknownMovies(in: Sample.day - 1...Sample.day, withPosters: false)
        }
        #expect(movies == [Sample.code("20240001")])
    }

    @Test("a week's chart is compared with that of the week before, and its anomalies differ from a day's")
    func week() async throws {
        let harness = try await WorkerHarness()
        for (id, day, total) in [("a", "2024-05-24", 90_000), ("b", "2024-05-31", 80_000)] {
            let week = Week(of: Sample.date(day), span: .weekend)
            var entries = Sample.chart(total / 10).entries
            entries[0].audienceTotal = total
            let chart = WeekChart(week: week, yearWeek: nil, market: .all, state: .settled, entries: entries)
            let accepted = try await harness.accept(Request(.week(week, .all)), as: id)
            let result = FetchResult(fetched: [.weekChart(chart)], source: .upstream)
            let anomalies = try await harness.settle(accepted, with: result, askedAt: WorkerHarness.noon)
            #expect(anomalies?.map(\.id) == (id == "b" ? ["anomaly.shrunk.2024-05-31.all.weekend"] : []))
        }
        let empty = try await harness.accept(
            Request(.week(Week(of: Sample.date("2024-05-31"), span: .week), .all)), as: "c")
        let failure = ContractError(.notPublished, "the list is empty")
        #expect(
            try await harness.settle(empty, with: failure)?.map(\.text) == [])
        let long = try await harness.accept(
            Request(.week(Week(of: Sample.date("2024-05-17"), span: .week), .all)), as: "d")
        #expect(
            try await harness.settle(long, with: failure)?.map(\.text)
                == ["the week chart of 2024-05-13~2024-05-19 is empty, long after the week"])
        #expect(
            harness.events("anomaly").map(\.topic.description) == [
                "anomaly.shrunk.2024-05-31", "anomaly.missing.2024-05-13",
            ])
    }

    @Test("a day is compared with the newest revision of the day before")
    func revisedDayBefore() async throws {
        let harness = try await WorkerHarness()
        let steps = [("a", Sample.day - 1, 90_000), ("b", Sample.day - 1, 50_000), ("c", Sample.day, 50_010)]
        for (id, date, total) in steps {
            let accepted = try await harness.accept(Request(.day(date, .all), refresh: true), as: id)
            var found = Sample.chart(total / 10)
            found.date = date
            found.entries[0].audienceTotal = total
            let result = FetchResult(fetched: [.chart(found)], source: .upstream)
            let anomalies = try await harness.settle(accepted, with: result, askedAt: WorkerHarness.noon)
            #expect(anomalies?.map(\.kind) == (id == "b" ? [.shrunk] : []))
        }
    }

    @Test("a day is answered from the log, not with a chart whose write was rolled back")
    func undoneRevision() async throws {
        let harness = try await WorkerHarness()
        let first = try await harness.accept(Sample.chart, as: "a")
        try await harness.settle(first, with: Sample.result(10, .settled), askedAt: WorkerHarness.noon)
        await #expect(throws: CancellationError.self) {
            try await harness.store.write { transaction in
                let draft = EventDraft(
                    .ranking(day: Sample.day, market: .all), data: Sample.chart(20, .settled).json)
                _ = try transaction.append([draft])
                let undone = try Freshness(transaction).events(for: Sample.chart, at: WorkerHarness.noon)
                #expect(try undone.events[0].data(as: Chart.self).entries[0].audience == 20)
                throw CancellationError()
            }
        }
        // At the place in the log where the undone one was.
        let again = try await harness.accept(Sample.newChart, as: "b")
        try await harness.settle(again, with: Sample.result(30, .settled), askedAt: WorkerHarness.noon + 1)
        let fresh = try await harness.fresh(Sample.chart)
        #expect(try fresh.events[0].data(as: Chart.self).entries[0].audience == 30)
    }

    @Test("a list that is empty is an anomaly where there were lines, or where they are long due")
    func empty() async throws {
        let harness = try await WorkerHarness()
        let failure = ContractError(.notPublished, "the list is empty")
        let yesterday = try await harness.accept(Sample.chart, as: "a")
        #expect(try await harness.settle(yesterday, with: failure) == [])
        let found = try await harness.accept(Sample.chart, as: "b")
        try await harness.settle(found, with: Sample.result(10), askedAt: WorkerHarness.noon)
        let again = try await harness.accept(Sample.newChart, as: "c")
        #expect(
            try await harness.settle(again, with: failure)?.map(\.text)
                == ["the chart of 2024-06-04 is empty, and had lines before"])
        for (id, market) in [("d", Market.all), ("e", Market(nation: .korean))] {
            let long = try await harness.accept(Request(.day(Sample.date("2024-05-01"), market)), as: id)
            #expect(try await harness.settle(long, with: failure)?.count == (market == .all ? 1 : 0))
        }
        #expect(
            harness.events("anomaly").map(\.topic.description) == [
                "anomaly.missing.2024-06-04", "anomaly.missing.2024-05-01",
            ])
    }
}
