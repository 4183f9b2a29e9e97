import Concurrency
import EventStoreTestSupport
import FoundationEssentials
import JSONCoding
import ServiceRuntime
import Storage
import TestSupport
import Testing
import ZeroMQ

@testable import Contract
@testable import EventStore
@testable import Messaging

/// Replay and latest as clients ask for them (contract, section 4).
@Suite(.patience) struct LogHandlerTests {
    private var log: EventLogFixture
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        log = try await EventLogFixture(in: folder)
    }

    struct Header: Decodable {
        let epoch: String
        let stream: String?
        let position: String?
        let more: Bool
        let positions: [String: String]?
    }

    func ask(_ name: String, _ body: String = "{}") async -> Reply {
        let commands = LogHandler(log: log.log, database: log.database) { .status(["well": true]) }
        return await commands.answer(Command(Message("peer", name, body)))
    }

    /// The header and the events' topics and bodies.
    func page(_ name: String, _ body: String = "{}") async throws -> (header: Header, events: [[String]]) {
        let reply = await ask(name, body)
        try #require(reply.word == "events", "\(String(describing: reply.failure))")
        let frames = reply.frames.dropFirst(2).map { String(decoding: $0, as: UTF8.self) }
        let events = stride(from: 0, to: frames.count, by: 2).map { Array(frames[$0...($0 + 1)]) }
        return (try JSON.decode(from: reply.body), events)
    }

    func frames(_ events: [LoggedEvent]) -> [[String]] {
        events.map { [$0.topic.description, String(decoding: $0.body, as: UTF8.self)] }
    }

    @Test(
        "replay replies with the stored events after a sequence and with the position that it scanned to",
        arguments: [
            (#"{"stream":"movie"}"#, [0, 1, 2, 3], 4, false),
            (#"{"stream":"movie","after":"","topic":"","limit":5000,"unknown":[1]}"#, [0, 1, 2, 3], 4, false),
            (#"{"stream":"movie","limit":3}"#, [0, 1, 2], 3, true),
            (#"{"stream":"movie","after":"0000000000000003"}"#, [3], 4, false),
            (#"{"stream":"movie","after":"0000000000000009"}"#, [], 9, false),
            (#"{"stream":"movie","topic":"movie.A"}"#, [0, 2], 4, false),
            (#"{"stream":"movie","topic":"movie.A","limit":1}"#, [0], 1, true),
            (#"{"stream":"movie","topic":"poster."}"#, [], 4, false),
            (#"{"stream":"alert"}"#, [], 0, false),
        ])
    func replay(_ body: String, _ indices: [Int], _ position: Int, _ more: Bool) async throws {
        let events = try await log.append(
            draft("movie.AAAAAAAA"), draft("movie.BBBBBBBB"), draft("movie.AAAAAAAA"), draft("movie.CCCCCCCC"),
            draft("poster.AAAAAAAA"))
        let page = try await page("replay", body)
        #expect(page.events == frames(indices.map { events[$0] }))
        #expect(page.header.epoch == log.log.epoch)
        #expect(page.header.stream == (body.contains("alert") ? "alert" : "movie"))
        #expect(page.header.position == SequenceNumber(UInt64(position))?.description)
        #expect(page.header.more == more)
        #expect(page.header.positions == nil)
    }

    @Test("a page holds only so many bytes, but at least one event", arguments: [(1, 1), (2, 2), (5, 5), (9, 9)])
    func pageBytes(_ room: Int, _ count: Int) async throws {
        var tests = self
        let events = try await log.append((1...9).map { try draft("request.done.\($0)") })
        tests.log.log.pageByteLimit = events[0].body.count * room + (room == 1 ? -1 : 0)
        for (name, body) in [("replay", #"{"stream":"request"}"#), ("latest", #"{"topic":"request."}"#)] {
            let page = try await tests.page(name, body)
            #expect(page.events == frames(Array(events.prefix(count))))
            #expect(page.header.more == (count < 9))
            if name == "replay" { #expect(page.header.position == SequenceNumber(UInt64(count))?.description) }
        }
    }

    @Test("latest replies with the newest event of each topic in order, and with the streams' positions")
    func latest() async throws {
        let events = try await log.append(
            draft("movie.BBBBBBBB"), draft("movie.AAAAAAAA"), draft("poster.AAAAAAAA"), draft("movie.BBBBBBBB"))
        let movies = try await page("latest", #"{"topic":"movie."}"#)
        #expect(movies.events == frames([events[1], events[3]]))
        #expect(movies.header.stream == "movie")
        #expect(movies.header.position == "0000000000000003")
        #expect(!movies.header.more)
        #expect(movies.header.positions == ["movie": "0000000000000003", "poster": "0000000000000001"])
        let all = try await page("latest", "")
        #expect(all.events == frames([events[1], events[3], events[2]]))
        #expect(all.header.stream == nil)
        #expect(all.header.position == nil)
    }

    @Test("latest continues after a topic while more follow")
    func latestPages() async throws {
        let events = try await log.append(draft("movie.CCCCCCCC"), draft("movie.AAAAAAAA"), draft("movie.BBBBBBBB"))
        let first = try await page("latest", #"{"topic":"movie.","limit":2}"#)
        #expect(first.events == frames([events[1], events[2]]))
        #expect(first.header.more)
        let second = try await page("latest", #"{"topic":"movie.","limit":2,"after":"movie.BBBBBBBB"}"#)
        #expect(second.events == frames([events[0]]))
        #expect(!second.header.more)
    }

    @Test(
        "an invalid command is refused with the field's name",
        arguments: [
            ("replay", "{}", "stream"), ("replay", "", "stream"), ("replay", #"{"stream":"films"}"#, "stream"),
            ("replay", #"{"stream":7}"#, "stream"), ("replay", #"{"stream":"movie","after":"1"}"#, "after"),
            ("replay", #"{"stream":"movie","after":"00000000000000-1"}"#, "after"),
            ("replay", #"{"stream":"movie","after":1}"#, "after"),
            ("replay", #"{"stream":"movie","topic":["movie."]}"#, "topic"),
            ("replay", #"{"stream":"movie","limit":0}"#, "limit"),
            ("replay", #"{"stream":"movie","limit":5001}"#, "limit"),
            ("replay", #"{"stream":"movie","limit":-1}"#, "limit"),
            ("replay", #"{"stream":"movie","limit":1.5}"#, "limit"),
            ("replay", #"{"stream":"movie","limit":"500"}"#, "limit"),
            ("replay", "[]", "body"), ("replay", "{", "body"), ("replay", "movie", "body"),
            ("latest", #"{"limit":0}"#, "limit"), ("latest", #"{"topic":1}"#, "topic"), ("latest", "1", "body"),
            ("reply", "{}", "command"), ("", "", "command"),
        ])
    func refusals(_ name: String, _ body: String, _ field: String) async {
        let failure = await ask(name, body).failure
        #expect(failure?.code == .badRequest)
        #expect(failure?.field == field)
    }

    @Test("an unreadable database is an internal error with a message")
    func unreadable() async {
        await log.database.close()
        #expect(await ask("replay", #"{"stream":"movie"}"#).failure?.code == .internal)
    }

    @Test("a status is refused to a client over its limits")
    func refusedStatus() async {
        let limits = Configuration.ClientLimits(requestsPerSecond: 1, waitingRequests: 1)
        let requestGuard = RequestGuard(nil, limits: limits, metrics: Metrics(), clock: ManualClock())
        let commands = LogHandler(log: log.log, database: log.database, requestGuard: requestGuard) {
            .status("well")
        }
        let command = Command(Message("peer", "status", "{}"))
        // Five in one go is what a client has that may ask once a second.
        for _ in 0..<5 { #expect(await commands.answer(command).frames == Reply.status("well").frames) }
        #expect(await commands.answer(command).failure?.code == .overloaded)
    }

    @Test("commands that steer the process are logged with key, address and body; refused ones and others are not")
    func audit() async throws {
        let lines = Locked("")
        let logger = Logger(label: "test") { bytes in lines.withLock { $0 += String(decoding: bytes, as: UTF8.self) } }
        let limits = Configuration.ClientLimits(requestsPerSecond: 100, waitingRequests: 10)
        let commands = LogHandler(
            log: log.log, database: log.database,
            requestGuard: RequestGuard(nil, limits: limits, metrics: Metrics(), logger: logger),
            own: [
                "retry": { _ in Reply(frames: [Array("retried".utf8), Array("{}".utf8)]) },
                "backfill": { _ in throw ContractError(.badRequest, "no") },
            ]
        ) {
            .status(["well": true])
        }
        func ask(_ name: String, _ body: String) async {
            _ = await commands.answer(
                Command(
                    Message(
                        ["peer", name, body].map { Array($0.utf8) },
                        peer: PeerIdentity(address: "192.0.2.1", name: "ann"))))
        }
        for name in ["status", "replay", "latest", "backfill", "sing"] { await ask(name, #"{"stream":"movie"}"#) }
        #expect(lines.withLock { $0 } == "")
        await ask("retry", #"{"sink":"hook"}"# + String(repeating: " ", count: 10_000))
        let line = lines.withLock { $0 }
        #expect(line.count { $0 == "\n" } == 1 && line.utf8.count < 500)
        for text in ["command accepted", "command=retry", "key=ann", "address=192.0.2.1", "hook"] {
            #expect(line.contains(text), "\(line)")
        }
    }

    @Test("a command's name is read to a bound of bytes, also where it is logged", arguments: [[0xCC, 0x81], [0xFF]])
    func longName(_ repeated: [UInt8]) async throws {
        let lines = Locked("")
        let logger = Logger(label: "test") { line in lines.withLock { $0 += String(decoding: line, as: UTF8.self) } }
        let limits = Configuration.ClientLimits(requestsPerSecond: 1, waitingRequests: 1)
        let requestGuard = RequestGuard(nil, limits: limits, metrics: Metrics(), logger: logger)
        let commands = LogHandler(log: log.log, database: log.database, requestGuard: requestGuard) {
            .status(["well": true])
        }
        let name = Array("x".utf8) + [[UInt8]](repeating: repeated, count: 100_000).joined()
        let command = Command(Message([Array("peer".utf8), name, []]))
        // A replaced byte takes three.
        #expect(command.name.utf8.count <= 3 * RequestTopic.maximumBytes)
        var codes: Set<ContractError.Code> = []
        for _ in 0..<10 {
            let reply = await commands.answer(command)
            #expect(reply.body.count < 1_000)
            requestGuard.recordRefused(command, reply)
            if let failure = reply.failure { codes.insert(failure.code) }
        }
        #expect(codes.contains(.overloaded))
        #expect(lines.withLock { $0.contains("request refused") && $0.utf8.count < 1_000 })
    }

    @Test("a topic that is longer than any is refused", arguments: ["replay", "latest"])
    func longTopic(_ name: String) async {
        let topic = "movie." + String(repeating: "\u{301}", count: 10_000)
        let failure = await ask(name, #"{"stream":"movie","topic":"\#(topic)"}"#).failure
        #expect(failure?.code == .badRequest && failure?.field == "topic")
    }

    @Test("a full page reaches a client that accepts its number of frames")
    func wire() async throws {
        let events = try await log.append((1...5_000).map { try draft("request.done.\($0)") })
        let io = try IOThread()
        let router = try await io.open(.router, bind: ["tcp://127.0.0.1:*"])
        let commands = LogHandler(log: log.log, database: log.database) { .status(["well": true]) }
        async let served: Void = CommandServer(router).run { await commands.answer($0) }
        let client = try await CommandClient(io, addresses: router.addresses)
        let reply = try await client.ask("replay", #"{"stream":"request","limit":5000}"#)
        #expect(reply.frames.count == 10_002)
        #expect(reply.frames.suffix(1) == [events[4_999].body])
        await io.shutdown()
        await served
    }
}
