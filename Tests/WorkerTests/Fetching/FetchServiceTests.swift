import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import Networking
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import Worker

/// From the queue to the end of a request, over real HTTP and a real database.
@Suite(.patience) struct FetchServiceTests {
    @Test("each request in the queue ends, by events or by a failure")
    func ends() async throws {
        let harness = try await WorkerHarness()
        let server = try ScriptedServer { exchange in
            let isSunday = exchange.request.target.contains("20240602")
            exchange.answer(isSunday ? #"{"boxOfficeResult":{"dailyBoxOfficeList":[]}}"# : Sample.answer(10))
        }
        try await harness.serve(harness.service(harness.fetcher(kobis: server.url))) {
            try await harness.accept(Sample.chart, as: "a")
            _ = try await harness.end(of: Sample.id("a"))
            try await harness.accept(Request(.day(Sample.date("2024-06-02"), .all)), as: "b")
            let failed = try await harness.end(of: Sample.id("b")).data(as: RequestFailed.self)
            #expect(failed.error.code == .notPublished)
            #expect(failed.request == Request(.day(Sample.date("2024-06-02"), .all)).fields)
        }
        #expect(harness.topics.count == 5)
        try await harness.expectPublishedInOrder()
    }

    @Test("a request that is not on disk has no end, and is not counted")
    func neverAccepted() async throws {
        let harness = try await WorkerHarness()
        let server = try ScriptedServer { $0.answer(Sample.answer(10)) }
        let metrics = Metrics()
        try await harness.serve(harness.service(harness.fetcher(kobis: server.url), metrics: metrics)) {
            harness.queue.add([AcceptedRequest(id: Sample.id("ghost"), request: Sample.newChart)])
            for await _ in server.arrivals { break }
            try await harness.accept(Sample.newChart, as: "a")
            _ = try await harness.end(of: Sample.id("a"))
        }
        #expect(harness.topics == ["request.accepted.a", "ranking.day.all.2024-06-04", "request.done.a"])
        #expect(await metrics.text().contains(#"marquee_requests_done_total{from="upstream"} 1"#))
    }

    @Test("two equal requests of one commit make one call: the second is answered from the log")
    func askedOnce() async throws {
        let harness = try await WorkerHarness()
        let server = try ScriptedServer { $0.answer(Sample.answer(10)) }
        let items = ["a", "b"].map { id in
            IntakeItem(
                accepted: AcceptedRequest(id: Sample.id(id), request: Sample.chart), frames: Sample.chart.frames)
        }
        _ = try await harness.accept(items)
        var service = harness.service(harness.fetcher(kobis: server.url))
        service.width = 1
        try await harness.serve(service) { try await harness.ends(2) }
        #expect(server.requests.count == 1)
        let sources = try harness.events("request.done.").map { try $0.data(as: RequestDone.self).from }
        #expect(sources == [.upstream, .log])
    }

    @Test("a result is kept while the disk rejects it, and costs one call")
    func fullDisk() async throws {
        let harness = try await WorkerHarness()
        let server = try ScriptedServer { $0.answer(Self.longAnswer) }
        let clock = ManualClock()
        try await harness.accept(Sample.chart, as: "a")
        try await harness.database.setFull(true)
        try await harness.serve(harness.service(harness.fetcher(kobis: server.url), clock: clock)) {
            for pause in [250, 500, 1000] {
                await clock.sleepers()
                clock.advance(by: .milliseconds(pause))
            }
            await clock.sleepers()
            try await harness.database.setFull(false)
            clock.advance(by: .seconds(2))
            #expect(try await harness.end(of: Sample.id("a")).topic == .request(.done, Sample.id("a")))
        }
        #expect(server.requests.count == 1)
        #expect(harness.log.text.contains("the end of a request cannot be written"))
    }

    @Test("an answer in the log that cannot be read fails the request and keeps no fetcher busy")
    func unreadableLog() async throws {
        let harness = try await WorkerHarness()
        try await harness.database.write { connection in
            let draft = try EventDraft(.ranking(day: Sample.day, market: .all), encoding: ["date": 7])
            _ = try harness.store.log.append([draft], at: WorkerHarness.noon, in: connection)
        }
        try await harness.serve(harness.service(harness.fetcher())) {
            try await harness.accept(Sample.chart, as: "a")
            let failed = try await harness.end(of: Sample.id("a")).data(as: RequestFailed.self)
            #expect(failed.error.code == .internal)
        }
        #expect(harness.log.text.contains("a request failed because of an internal error"))
    }

    @Test(
        "a request in progress when the process ends has not failed: it waits for the next start",
        arguments: [true, false])
    func cancellation(_ hangsAtTheChart: Bool) async throws {
        let harness = try await WorkerHarness()
        let server = try ScriptedServer { exchange in
            guard exchange.request.target.contains("searchMovieInfo") else { return exchange.waitForDisconnect() }
            exchange.answer(Self.movie)
        }
        let movie = Request(.movie(Sample.code("20240001"), poster: true))
        let accepted = try await harness.accept(hangsAtTheChart ? Sample.chart : movie, as: "a")
        let service = harness.service(harness.fetcher(kobis: server.url, kakao: server.url))
        let running = Task { try await service.run() }
        for await request in server.arrivals where !request.target.contains("searchMovieInfo") { break }
        running.cancel()
        try await running.value
        #expect(harness.topics == ["request.accepted.a"])
        #expect(try await harness.claimPending() == [accepted.triedOnce])
    }

    @Test("a stop finishes the requests in progress and leaves the waiting ones in the inbox")
    func stop() async throws {
        let harness = try await WorkerHarness()
        let gate = Monitor(false)
        let server = try ScriptedServer { exchange in
            gate.wait { $0 }
            exchange.answer(Sample.answer(10))
        }
        var accepted: [AcceptedRequest] = []
        for number in 0..<FetchService.defaultWidth + 2 {
            let request = Request(.day(Sample.day - number, .all))
            accepted.append(try await harness.accept(request, as: "r\(number)"))
        }
        let service = harness.service(harness.fetcher(kobis: server.url))
        let running = Task { try await service.run() }
        try await waitUntil("requests left in the queue", look: { harness.queue.lengths.live }, is: { $0 == 2 })
        await service.stop()
        gate.withLock { $0 = true }
        try await running.value
        #expect(harness.events("request.done").count == FetchService.defaultWidth)
        #expect(try await harness.claimPending() == accepted.suffix(2).map(\.triedOnce))
    }

    private static let movie =
        #"{"movieInfoResult":{"movieInfo":{"movieCd":"20240001","movieNm":"첫눈"},"source":"영화진흥위원회"}}"#

    /// A chart that needs more room than a page of the database has left.
    private static let longAnswer = {
        let title = String(repeating: "눈", count: 300)
        let lines = (1...10).map {
            #"{"rnum":"\#($0)","rank":"\#($0)","movieCd":"\#(20_240_000 + $0)","movieNm":"\#(title)","audiCnt":"\#(20 - $0)"}"#
        }
        return #"{"boxOfficeResult":{"dailyBoxOfficeList":[\#(lines.joined(separator: ","))]}}"#
    }()
}
