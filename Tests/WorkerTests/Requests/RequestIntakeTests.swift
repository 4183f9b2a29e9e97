import BoxOffice
import EventStore
import FoundationEssentials
import ServiceRuntime
import Storage
import TestSupport
import Testing
import ZeroMQ

@testable import Contract
@testable import Messaging
@testable import Worker

/// The worker's two endpoints, over real sockets.
@Suite(.patience) struct RequestIntakeTests {
    private func frames(_ texts: String...) -> [[UInt8]] {
        texts.map { Array($0.utf8) }
    }

    private func receive(_ harness: WorkerHarness, _ messages: [[UInt8]]...) async -> [String] {
        await harness.intake().receive(messages.map { Message($0) }).map { result in
            switch result {
            case .success(let id): "\(id)"
            case .failure(let rejection): rejection.error.code.rawValue
            }
        }
    }

    @Test("a registration whose image no decoder may see is refused, and never reaches the inbox")
    func bombs() async throws {
        let harness = try await WorkerHarness()
        let fields = #"{"name":"겨울 외투","description":"따뜻하고 가벼운 외투입니다","price":15000,"stock":3}"#
        let bombs = [
            CraftedJPEG.progressive(width: 6_300, height: 6_300),
            CraftedJPEG.progressive(width: 80, height: 80, extraScans: 40), Array("<html>".utf8),
        ]
        for bomb in bombs {
            #expect(await receive(harness, frames("product.register", fields) + [bomb]) == ["badRequest"])
        }
        #expect(harness.topics.isEmpty)
        let small = CraftedJPEG.progressive(width: 80, height: 80)
        #expect(await receive(harness, frames("product.register", fields) + [small]).first != "badRequest")
        #expect(harness.topics.count == 1)
    }

    @Test("each message of a batch has its own answer, in its place")
    func batch() async throws {
        let harness = try await WorkerHarness(room: 2)
        let answers = await receive(
            harness, frames("fetch.day", #"{"date":"2024-06-04","id":"a"}"#), frames("fetch.day", "tomorrow"),
            frames("fetch day", #"{"date":"2024-06-04","id":"a"}"#), frames("fetch.day", "2024-06-05"),
            frames("fetch.day", #"{"date":"2024-06-03","id":"a"}"#),
            frames("fetch.movie", #"{"code":"2022B512","id":"b"}"#), frames("fetch.day", "2024-06-04"),
            frames("status", "{}"), [[0xFF]], [], frames("fetch.day", "1", "2"))
        #expect(
            answers == [
                "a", "badRequest", "a", "dateOutOfRange", "conflict", "b", "overloaded", "badRequest", "badRequest",
                "badRequest", "badRequest",
            ])
        #expect(harness.topics == ["request.accepted.a", "request.accepted.b"])
        #expect(harness.queue.lengths.live == 2)
    }

    @Test("a request without an id gets a random one, a new one each time")
    func ourIDs() async throws {
        let harness = try await WorkerHarness()
        let ids = await receive(harness, frames("fetch.day", "20240604"), frames("fetch.day", "20240604"))
        #expect(Set(ids).count == 2)
        #expect(harness.topics == ids.map { "request.accepted.\($0)" })
        #expect(harness.queue.lengths.live == 2)
    }

    /// Sends messages to the SUB endpoint of a service, and waits until `count` requests have ended.
    private func publish(_ messages: [Message], to harness: WorkerHarness, ends count: Int) async throws {
        let io = try IOThread()
        let requests = try await io.open(.subscriber, bind: ["tcp://127.0.0.1:*"], subscriptions: [""])
        let service = RequestService(
            socket: requests, intake: harness.intake(), logger: RateLimitedLogger(harness.runtime.logger))
        let running = Task { try await service.run() }
        let client = try await io.open(.publisher, connect: requests.addresses)
        await client.waitForSubscription()
        client.post(messages)
        try await harness.ends(count)
        await service.stop()
        try await running.value
        await io.shutdown()
    }

    @Test("an id of the schedule or the backfill is refused, and a refused request does not end under it")
    func idsOfOurs() async throws {
        let harness = try await WorkerHarness()
        let bodies = [
            #"{"date":"2024-06-04","id":"schedule.day.2024-06-04.morning"}"#,
            #"{"date":"2024-06-04","id":"backfill.1.day.2024-06-04"}"#,
            #"{"date":"tomorrow","id":"schedule.day.2024-06-04.morning"}"#,
        ]
        #expect(
            await receive(
                harness, frames("fetch.day", bodies[0]), frames("fetch.day", bodies[1]), frames("fetch.day", bodies[2]),
                frames("fetch.day", #"{"date":"2024-06-04","id":"schedule"}"#))
                == ["badRequest", "badRequest", "badRequest", "schedule"])

        try await publish(bodies.map { Message("fetch.day", $0) }, to: harness, ends: 3)
        #expect(harness.events("request.failed.").count == 3)
        for prefix in ["request.failed.schedule.", "request.failed.backfill.", "request.accepted.schedule."] {
            #expect(harness.events(prefix).isEmpty)
        }
    }

    @Test("no request is accepted if it cannot be stored")
    func closed() async throws {
        let harness = try await WorkerHarness()
        await harness.database.close()
        #expect(await receive(harness, frames("fetch.day", "20240604"), frames("x")) == ["internal", "badRequest"])
        #expect(harness.queue.lengths.live == 0)
    }

    @Test("what is refused while the disk is full is not asked of the upstream once there is room, nor after a restart")
    func fullDisk() async throws {
        let harness = try await WorkerHarness()
        let server = try ScriptedServer { $0.answer(Sample.answer(10)) }
        let day = KoreanDate.firstChart
        let batch = (0..<300).map { number in
            Message(frames("fetch.day", #"{"date":"\#(day + number)","id":"refused-\#(number)"}"#))
        }
        try await harness.serve(harness.service(harness.fetcher(kobis: server.url))) {
            try await harness.database.setFull(true)
            let results = await harness.intake().receive(batch)
            #expect(results.count { (try? $0.get()) == nil } == batch.count)
            try await harness.database.setFull(false)
            #expect(await receive(harness, frames("fetch.day", #"{"date":"2024-06-04","id":"a"}"#)) == ["a"])
            _ = try await harness.end(of: Sample.id("a"))
        }
        #expect(server.requests.count == 1)
        #expect(try await harness.claimPending().isEmpty)
        #expect(harness.events("request.").count == 2)
    }

    @Test("one client cannot fill the queue, and its finished requests make room")
    func queueOfOne() async throws {
        let harness = try await WorkerHarness()
        let limits = Configuration.ClientLimits(requestsPerSecond: 100, waitingRequests: 2)
        var intake = harness.intake()
        intake.requestGuard = RequestGuard(nil, limits: limits, metrics: Metrics())
        func send(_ count: Int, from address: String) async -> [ContractError.Code?] {
            let sender = PeerIdentity(address: address, name: nil)
            let messages = (0..<count).map { _ in Message(frames("fetch.day", "20240604"), peer: sender) }
            return await intake.receive(messages).map { result in
                guard case .failure(let rejection) = result else { return nil }
                return rejection.error.code
            }
        }
        #expect(await send(3, from: "192.0.2.1") == [nil, nil, .overloaded])
        #expect(await send(1, from: "192.0.2.2") == [nil])
        _ = await harness.queue.next()
        #expect(await send(2, from: "192.0.2.1") == [nil, .overloaded])
    }

    @Test("a message to the SUB endpoint is accepted, ends as failed, or is ignored")
    func published() async throws {
        let harness = try await WorkerHarness(room: 1)
        let messages = [
            Message("status", "{}"), Message([[0xFF], []]), Message("fetch.day", "1", "2"), Message("fetch.day"),
            Message("fetch.day", String(repeating: " ", count: 65_537)),
            Message("fetch.day", #"{"date":"2024-06-04","id":"a"}"#),
            Message("fetch.day", #"{"date":"2024-06-03","id":"a"}"#),
            Message("fetch week", #"{"date":"2024-06-03","id":"b"}"#), Message("fetch.day", #"{"date":7,"id":"c"}"#),
            Message("fetch.day", #"{"date":"2024-06-05","id":"d"}"#),
            Message("fetch.day", #"{"date":"2024-06-02","id":"e"}"#), Message("fetch.day", #"{"id":"f""#),
        ]
        try await publish(messages, to: harness, ends: 6)
        let failed = try harness.events("request.failed").map { try $0.data(as: RequestFailed.self) }
        #expect(
            failed.map(\.error.code.rawValue).sorted() == [
                "badRequest", "badRequest", "badRequest", "dateOutOfRange", "overloaded", "overloaded",
            ])
        #expect(Set(failed.map(\.topic)) == ["fetch.day", "fetch.week"])
        #expect(harness.events("request.accepted").map(\.topic) == [.request(.accepted, Sample.id("a"))])
        for id in ["b", "c", "d", "e"] { #expect(harness.topics.contains("request.failed.\(id)")) }
        #expect(!harness.topics.contains("request.failed.a"))
        #expect((1...11).contains(harness.log.count(of: "request refused")))
    }

    @Test("a command's answer is a receipt, a refusal or a status, in the order of the questions")
    func commands() async throws {
        let harness = try await WorkerHarness()
        let io = try IOThread()
        let router = try await io.open(.router, bind: ["tcp://127.0.0.1:*"])
        let status = LogHandler(log: harness.store.log, database: harness.database) {
            .status(
                WorkerStatus(
                    version: "1", epoch: "", positions: [:], queue: WorkerStatus.Queue(live: 0, backfill: 0),
                    quota: [:], uptime: 0))
        }
        let service = CommandService(socket: router, intake: harness.intake(), logCommands: status)
        let running = Task { try await service.run() }
        let client = try await io.open(.dealer, connect: router.addresses)
        await client.send([
            Message("status", "{}"), Message("fetch.day", #"{"date":"2024-06-04","id":"a"}"#),
            Message("fetch.day", "1"),
            Message("sing", "{}"), Message("fetch.movie", #"{"code":"2022B512","id":"a"}"#),
            Message("", "fetch day", #"{"date":"2024-06-04","id":"a"}"#), Message("status", "{}"),
        ])
        var answers: [Message] = []
        for await batch in client.incoming {
            answers += batch
            if answers.count == 7 { break }
        }
        await service.stop()
        try await running.value
        await io.shutdown()
        #expect(
            answers.map { $0.text(at: $0.frames.count - 2) } == [
                "status", "accepted", "refused", "refused", "refused", "accepted", "status",
            ])
        #expect(answers[1] == Message("accepted", #"{"id":"a"}"#))
        #expect(Reply(frames: answers[4].frames).failure?.code == .conflict)
        #expect(answers[5] == Message("", "accepted", #"{"id":"a"}"#))
        #expect(harness.topics == ["request.accepted.a"])
    }
}
