import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import Imaging
import Messaging
import Networking
import ServiceRuntime
import Storage
import TestSupport
import Testing
import ZeroMQ

@testable import Worker

/// The search for posters, the quota it costs, and what an operator says of its result.
@Suite(.patience) struct PosterHandlerTests {
    private static let code = Sample.code("20240001")

    /// KOBIS, Kakao and image hosts: every movie has the hits `/1.png`, `/2.png` and `/3.png`, once the gate is open.
    private static func upstreams(_ gate: Monitor<Bool> = Monitor(true)) throws -> ScriptedServer {
        try ScriptedServer { exchange in
            let target = exchange.request.target
            if let code = target.split(separator: "movieCd=").dropFirst().first?.prefix(8) {
                exchange.answer(
                    #"{"movieInfoResult":{"movieInfo":{"movieCd":"\#(code)","movieNm":"영화 \#(code)","prdtYear":"2024"},"source":"KOBIS"}}"#
                )
            } else if target.hasPrefix("/v2/search/image") {
                let base = "http://\(exchange.request["Host"] ?? "")"
                let hits = (1...3).map { #"{"image_url":"\#(base)/\#($0).png","width":60,"height":90}"# }
                exchange.answer(#"{"documents":[\#(hits.joined(separator: ","))]}"#)
            } else if let number = target.dropFirst().first?.wholeNumberValue, target.hasSuffix(".png") {
                let image = Bitmap(width: 60, height: 90) { _, _ in Color(UInt32(number)) }
                gate.wait { $0 }
                exchange.answer(image.encodePNG())
            } else {
                exchange.answer(status: 404)
            }
        }
    }

    private static func command(_ body: String) -> Command {
        Command(Message([Array("peer".utf8), Array("poster".utf8), Array(body.utf8)]))
    }

    private static func movie(_ code: String, _ title: String) -> Movie {
        Movie(code: Sample.code(code), title: title)
    }

    @Test(
        "a movie has a namesake if another one's title is the same or begins with its own, without blanks and signs",
        arguments: [
            ("범죄도시", "범죄도시 4", true), ("범죄도시", "범죄 도시", true), ("범죄도시", "<범죄도시>: 더 비기닝", true),
            ("범죄도시 4", "범죄도시", false), ("도시", "범죄도시", false), ("Spy", "SPY!", true), ("!", "?", false),
            ("!", "!", true), ("괴물", "구미호", false),
        ])
    func namesakes(title: String, other: String, isNamesake: Bool) async throws {
        let harness = try await WorkerHarness()
        let has = try await harness.database.write { connection in
            try MovieTitles.store(of: .movie(Self.movie("20240001", title)), in: connection)
            let alone = try MovieTitles.hasNamesake(Self.movie("20240001", title), in: connection)
            try MovieTitles.store(of: .movie(Self.movie("20240002", other)), in: connection)
            return (alone, try MovieTitles.hasNamesake(Self.movie("20240001", title), in: connection))
        }
        #expect(has == (false, isNamesake))
    }

    @Test("the search names year and director once a chart in the log has a namesake")
    func namesakeInChart() async throws {
        let harness = try await WorkerHarness()
        let server = try Self.upstreams()
        let fetcher = harness.fetcher(kobis: server.url, kakao: server.url)
        let chart = try await harness.accept(Sample.chart, as: "chart")
        var result = Sample.result(10)
        guard case .chart(var known) = result.fetched[0] else { throw CancellationError() }
        known.entries[0].movieCode = Sample.code("20240009")
        known.entries[0].title = "영화 20240002: 속편"
        result.fetched[0] = .chart(known)
        try await harness.settle(chart, with: result, askedAt: WorkerHarness.noon)
        var queries: [String] = []
        for code in ["20240001", "20240002"] {
            let found = try await fetcher.result(
                for: Request(.movie(Sample.code(code), poster: true)), asOf: WorkerHarness.noon)
            for case .poster(let poster) in found.fetched { queries.append(poster.query) }
        }
        #expect(queries == ["영화 20240001 영화 포스터", "영화 20240002 2024 영화 포스터"])
    }

    @Test("a movie costs one search: with six left, six movies get posters and the seventh is told")
    func quota() async throws {
        let harness = try await WorkerHarness()
        let server = try Self.upstreams()
        let quota = QuotaLedger(
            database: harness.database, wallClock: harness.wallClock, limits: ["kakao": 6], reserve: 0)
        let client = HTTPClient(retry: .patient) { service throws(UpstreamError) in
            try await quota.book(service, for: .live)
            return nil
        }
        let fetcher = harness.fetcher(kobis: server.url, kakao: server.url, client: client, quota: quota)
        var problems: [[ContractError.Code]] = []
        for number in 1...7 {
            let request = Request(.movie(Sample.code("2024000\(number)"), poster: true))
            problems.append(try await fetcher.result(for: request, asOf: WorkerHarness.noon).problems.map(\.code))
        }
        #expect(problems == Array(repeating: [], count: 6) + [[.quotaExhausted]])
    }

    @Test(
        "a movie that two ask for at once costs one search, also if they use different shares of the quota",
        arguments: [Request.Priority.live, .backfill])
    func oneSearch(of first: Request.Priority) async throws {
        let harness = try await WorkerHarness()
        let gate = Monitor(false)
        let server = try Self.upstreams(gate)
        let fetchers = Dictionary(
            uniqueKeysWithValues: QuotaShare.allCases.map { share in
                (share, harness.fetcher(kobis: server.url, kakao: server.url))
            })
        let service = FetchService(
            queue: harness.queue, fetcher: { fetchers[$0] ?? harness.fetcher() }, store: harness.store,
            metrics: harness.metrics, runtime: harness.runtime)
        try await harness.serve(service) {
            try await harness.accept(Request(.movie(Self.code, poster: true), priority: first), as: "a")
            for await request in server.arrivals where request.target.hasSuffix(".png") { break }
            try await harness.accept(Request(.movie(Self.code, poster: true)), as: "b")
            try await waitUntil("requests left in the queue", look: { harness.queue.lengths.live }, is: { $0 == 0 })
            gate.withLock { $0 = true }
            try await harness.ends(2)
        }
        #expect(server.requests.count { $0.target.hasPrefix("/v2/") } == 1)
        let sources = try harness.events("request.done.").map { try $0.data(as: RequestDone.self).from }
        #expect(sources == [.upstream, .log])
    }

    private static func failure(of poster: PosterHandler, _ body: String) async -> ContractError? {
        await #expect(throws: ContractError.self) { try await poster.answer(command(body)) }
    }

    @Test("a rejected poster is replaced by the next hit, and a chosen one stays until it is changed")
    func choices() async throws {
        let harness = try await WorkerHarness()
        let server = try Self.upstreams()
        let fetcher = harness.fetcher(kobis: server.url, kakao: server.url)
        let poster = PosterHandler(store: harness.store, requestGuard: .unrestricted(), runtime: harness.runtime)

        /// Sends the command and returns the poster once its request has ended.
        func change(_ id: String, _ fields: String) async throws -> Poster {
            let reply = try await poster.answer(Self.command(#"{"code":"20240001","id":"\#(id)",\#(fields)}"#))
            #expect(reply.requestID?.description == id)
            _ = try await harness.end(of: Sample.id(id))
            return try await shown()
        }
        func shown() async throws -> Poster {
            let reply = try await poster.answer(Self.command(#"{"code":"20240001"}"#))
            #expect(reply.word == "poster")
            return try JSONDecoder().decode(Poster.self, from: Data(reply.body))
        }

        for body in ["20240001", #"{"code":"20240001","reject":true}"#] {
            #expect(await Self.failure(of: poster, body)?.code == .notFound)
        }
        try await harness.serve(harness.service(fetcher)) {
            try await harness.accept(Request(.movie(Self.code, poster: true)), as: "first")
            _ = try await harness.end(of: Sample.id("first"))
            #expect(try await shown().hit == 1)
            #expect(try await change("a", #""reject":true"#).hit == 2)
            // Sent again because its receipt was lost, it is done once.
            let again = try await poster.answer(Self.command(#"{"code":"20240001","id":"a","reject":true}"#))
            #expect(again.requestID == Sample.id("a"))
            #expect(try await shown().hit == 2)
            #expect(try await change("b", #""reject":true"#).hit == 3)

            let chosen = try await change("c", #""url":"\#(server.url)/9.png""#)
            #expect(chosen.image?.imageURL == "\(server.url)/9.png" && chosen.image?.source == "operator")
            let kept = try await change("d", #""url":"\#(server.url)/gone.png""#)
            #expect(kept == chosen)
            // The URL that never became the poster is taken back; the poster of before was not chosen any more.
            #expect(try await change("e", #""reject":true"#).hit == 3)
            #expect(try await change("f", #""url":"\#(server.url)/9.png""#) == chosen)
            let searches = server.requests.count { $0.target.hasPrefix("/v2/") }
            try await harness.accept(Request(.movie(Self.code, poster: true), refresh: true), as: "later")
            _ = try await harness.end(of: Sample.id("later"))
            #expect(try await shown() == chosen)
            #expect(server.requests.count { $0.target.hasPrefix("/v2/") } == searches)
            #expect(try await change("g", #""reject":true"#).hit == 3)
        }
    }

    @Test(
        "a command that says nothing clear is refused, and changes nothing",
        arguments: [
            ("{}", "code"), (#"{"code":"x"}"#, "code"), (#"{"code":"20240001","reject":"yes"}"#, "reject"),
            (#"{"code":"20240001","reject":true,"url":"http://a.kr/1"}"#, "body"),
            (#"{"code":"20240001","url":"ftp://a.kr/1"}"#, "url"), (#"{"code":"20240001","url":""}"#, "url"),
            (#"{"code":"20240001","id":"schedule.1","url":"http://a.kr/1"}"#, "id"),
            (#"{"code":"20240001","url":"http://a.kr/\#(String(repeating: "a", count: 2_048))"}"#, "url"),
        ])
    func refusals(body: String, field: String) async throws {
        let harness = try await WorkerHarness()
        let poster = PosterHandler(store: harness.store, requestGuard: .unrestricted(), runtime: harness.runtime)
        let failure = await Self.failure(of: poster, body)
        #expect(failure?.code == .badRequest && failure?.field == field)
        let choice = try await harness.database.read { try PosterChoice(for: Self.code, in: $0) }
        #expect(choice.isEmpty)
    }

    @Test("where no request can wait, nothing is changed")
    func full() async throws {
        let harness = try await WorkerHarness(room: 0)
        let poster = PosterHandler(store: harness.store, requestGuard: .unrestricted(), runtime: harness.runtime)
        let failure = await Self.failure(of: poster, #"{"code":"20240001","url":"http://a.kr/1"}"#)
        #expect(failure?.code == .overloaded)
        let choice = try await harness.database.read { try PosterChoice(for: Self.code, in: $0) }
        #expect(choice.isEmpty)
    }
}
