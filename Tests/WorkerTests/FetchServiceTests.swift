import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import Networking
import Operations
import SQLite
import TestSupport
import Testing

@testable import Worker

/// From the queue to the end of a request, over real HTTP and a real database.
@Suite(.timeLimit(.minutes(5))) struct FetchServiceTests {
    @Test("each request in the queue ends, by events or by a failure")
    func ends() async throws {
        let desk = try await Desk()
        let server = try ScriptedServer { exchange in
            let isSunday = exchange.request.target.contains("20240602")
            exchange.answer(isSunday ? #"{"boxOfficeResult":{"dailyBoxOfficeList":[]}}"# : Sample.answer(10))
        }
        try await desk.serve(desk.service(desk.fetcher(kobis: server.url))) {
            try await desk.queue.add([desk.accept(Sample.chart, as: "a")])
            _ = try await desk.end(of: Sample.id("a"))
            try await desk.queue.add([desk.accept(Request(.day(Sample.date("2024-06-02"), .all)), as: "b")])
            let failed = try await desk.end(of: Sample.id("b")).data(as: RequestFailed.self)
            #expect(failed.error.code == .notPublished)
            #expect(failed.request == Request(.day(Sample.date("2024-06-02"), .all)).fields)
        }
        #expect(desk.topics.count == 5)
        try await desk.expectPublishedInOrder()
    }

    @Test("a request that is not on disk has no end, and is not counted")
    func neverAccepted() async throws {
        let desk = try await Desk()
        let server = try ScriptedServer { $0.answer(Sample.answer(10)) }
        let metrics = Metrics()
        try await desk.serve(desk.service(desk.fetcher(kobis: server.url), metrics: metrics)) {
            desk.queue.add([AcceptedRequest(id: Sample.id("ghost"), request: Sample.newChart)])
            for await _ in server.arrivals { break }
            try await desk.queue.add([desk.accept(Sample.newChart, as: "a")])
            _ = try await desk.end(of: Sample.id("a"))
        }
        #expect(desk.topics == ["request.accepted.a", "ranking.day.all.2024-06-04", "request.done.a"])
        #expect(await metrics.text().contains(#"marquee_requests_done_total{from="upstream"} 1"#))
    }

    @Test("what two requests of one commit ask for is asked once: the second is answered from the log")
    func askedOnce() async throws {
        let desk = try await Desk()
        let server = try ScriptedServer { $0.answer(Sample.answer(10)) }
        let offers = ["a", "b"].map { id in
            WorkerStore.IntakeItem(
                accepted: AcceptedRequest(id: Sample.id(id), request: Sample.chart), frames: Sample.chart.frames)
        }
        _ = try await desk.store.offer(offers, then: { desk.queue.add($0.waiting) })
        var service = desk.service(desk.fetcher(kobis: server.url))
        service.width = 1
        try await desk.serve(service) { try await desk.ends(2) }
        #expect(server.requests.count == 1)
        let sources = try desk.events("request.done.").map { try $0.data(as: RequestDone.self).from }
        #expect(sources == [.upstream, .log])
    }

    @Test("what was found is kept while the disk refuses it, and costs one call")
    func fullDisk() async throws {
        let desk = try await Desk()
        let server = try ScriptedServer { $0.answer(Self.longAnswer) }
        let pauses = ManualClock()
        let accepted = try await desk.accept(Sample.chart, as: "a")
        try await desk.database.setFull(true)
        try await desk.serve(desk.service(desk.fetcher(kobis: server.url), pauses: pauses)) {
            desk.queue.add([accepted])
            for pause in [250, 500, 1000] {
                await pauses.sleepers()
                pauses.advance(by: .milliseconds(pause))
            }
            await pauses.sleepers()
            try await desk.database.setFull(false)
            pauses.advance(by: .seconds(2))
            #expect(try await desk.end(of: Sample.id("a")).topic == .request(.done, Sample.id("a")))
        }
        #expect(server.requests.count == 1)
        #expect(desk.log.text.contains("a request's end cannot be written"))
    }

    @Test("an answer in the log that cannot be read fails the request and keeps no fetcher busy")
    func unreadableLog() async throws {
        let desk = try await Desk()
        try await desk.database.write { connection in
            let draft = try EventDraft(.ranking(day: Sample.day, market: .all), encoding: ["date": 7])
            _ = try desk.store.log.append([draft], at: Desk.noon, in: connection)
        }
        try await desk.serve(desk.service(desk.fetcher())) {
            try await desk.queue.add([desk.accept(Sample.chart, as: "a")])
            let failed = try await desk.end(of: Sample.id("a")).data(as: RequestFailed.self)
            #expect(failed.error.code == .internal)
        }
        #expect(desk.log.text.contains("a request fails by a fault of ours"))
    }

    @Test(
        "what is in hand when the process ends has not failed: it waits for the next start", arguments: [true, false])
    func cancellation(_ hangsAtTheChart: Bool) async throws {
        let desk = try await Desk()
        let server = try ScriptedServer { exchange in
            guard exchange.request.target.contains("searchMovieInfo") else { return exchange.waitForHangUp() }
            exchange.answer(Self.movie)
        }
        let movie = Request(.movie(Sample.code("20240001"), poster: true))
        let accepted = try await desk.accept(hangsAtTheChart ? Sample.chart : movie, as: "a")
        let service = desk.service(desk.fetcher(kobis: server.url, kakao: server.url))
        let running = Task { try await service.run() }
        desk.queue.add([accepted])
        for await request in server.arrivals where !request.target.contains("searchMovieInfo") { break }
        running.cancel()
        try await running.value
        #expect(desk.topics == ["request.accepted.a"])
        #expect(try await desk.store.takeUp() == [accepted])
    }

    @Test("a stop finishes what is in hand and leaves what waits in the inbox")
    func stop() async throws {
        let desk = try await Desk()
        let gate = Monitor(false)
        let server = try ScriptedServer { exchange in
            gate.wait { $0 }
            exchange.answer(Sample.answer(10))
        }
        var accepted: [AcceptedRequest] = []
        for number in 0..<FetchService.width + 2 {
            let request = Request(.day(Sample.day - number, .all))
            accepted.append(try await desk.accept(request, as: "r\(number)"))
        }
        let service = desk.service(desk.fetcher(kobis: server.url))
        desk.queue.add(accepted)
        let running = Task { try await service.run() }
        await desk.queue.waiting(exactly: 2)
        await service.stop()
        gate.withLock { $0 = true }
        try await running.value
        #expect(desk.events("request.done").count == FetchService.width)
        #expect(try await desk.store.takeUp() == Array(accepted.suffix(2)))
    }

    private static let movie =
        #"{"movieInfoResult":{"movieInfo":{"movieCd":"20240001","movieNm":"첫눈"},"source":"영화진흥위원회"}}"#

    /// A chart that needs more room than a page of the database has left.
    private static let longAnswer = {
        let title = String(repeating: "눈", count: 3_000)
        return Sample.answer(10).replacing("첫눈", with: title)
    }()
}

extension RequestQueue {
    /// Returns when so many live requests are left.
    func waiting(exactly count: Int) async {
        while !Task.isCancelled, lengths.live != count { await Task.yield() }
    }
}
