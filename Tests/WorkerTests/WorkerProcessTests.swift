import BoxOffice
import Concurrency
import Contract
import FoundationEssentials
import JSONCoding
import Messaging
import Sandbox
import ServiceRuntime
import Storage
import TestSupport
import Testing
import ZeroMQ

@testable import Worker

/// The whole worker, with the sandbox as its upstreams, asked as any client does.
@Suite(.patience) struct WorkerProcessTests {
    private let folder: TemporaryFolder
    private let sandbox: SandboxServer

    init() throws {
        folder = try TemporaryFolder()
        var options = SandboxOptions()
        options.address = "127.0.0.1:0"
        sandbox = try SandboxServer(options: options) { WorkerHarness.noon }
    }

    /// The worker's time stands still, as the sandbox's does.
    private static let noon = WallClock { WorkerHarness.noon }

    /// A run of the worker on free ports.
    private struct Run {
        let requests: String
        let client: RequestClient
        let commands: CommandClient
    }

    /// Returns a configuration with free ports and the sandbox's addresses.
    private func configuration(_ settings: [String: String] = [:]) throws -> Configuration {
        var environment = [
            "MARQUEE_DATA": folder.path, "MARQUEE_KOBIS_URL": sandbox.kobisURL, "MARQUEE_KAKAO_URL": sandbox.kakaoURL,
            "MARQUEE_KOBIS_KEY": SandboxOptions.anyKobisKey, "MARQUEE_KAKAO_KEY": SandboxOptions.anyKakaoKey,
            "MARQUEE_PRIVATE_IMAGES": "allow", "MARQUEE_WORKER_HTTP": "127.0.0.1:0",
        ]
        for name in ["REQUESTS", "COMMANDS", "EVENTS"] { environment["MARQUEE_\(name)"] = "tcp://127.0.0.1:*" }
        return try Configuration(environment: environment.merging(settings) { $1 })
    }

    /// Runs the worker on this suite's folder while `body` runs.
    private func withWorker(
        _ settings: [String: String] = [:], clock: WallClock = Self.noon, _ body: (Run, IOThread) async throws -> Void
    ) async throws {
        let configuration = try configuration(settings)
        let log = LogLines()
        let (stopRequests, stop) = AsyncStream.makeStream(of: Never.self)
        let worker = WorkerProcess(configuration, runtime: Runtime(logger: log.logger(), wallClock: clock))
        let running = Task {
            defer { log.end() }
            try await worker.run { for await _ in stopRequests {} }
        }
        guard let ready = await log.line("worker ready") else { return try await running.value }
        let addresses = try JSON.decode(Addresses.self, from: Array(ready.utf8))
        let io = try IOThread()
        let run = Run(
            requests: addresses.requests,
            client: RequestClient(io, commands: [addresses.commands], events: [addresses.events]),
            commands: try await CommandClient(io, addresses: [addresses.commands]))
        try await body(run, io)
        await io.shutdown()
        stop.finish()
        try await running.value
    }

    private struct Addresses: Decodable {
        let requests, commands, events: String
    }

    private struct Status: Decodable {
        let epoch: String
        let positions: [String: SequenceNumber]
        let quota: [String: QuotaLedger.Balance]
        let uptime: Int
    }

    private func status(_ run: Run) async throws -> Status {
        let reply = try await run.commands.ask("status")
        #expect(reply.word == "status")
        return try JSON.decode(from: reply.body)
    }

    /// The events that answered, and where they came from.
    private func done(
        _ outcome: RequestClient.Outcome
    ) throws -> (events: [Event], from: RequestDone.Source, problems: [ContractError]) {
        switch outcome {
        case .done(let done, let events): return (events, done.from, done.problems)
        case .failed(let failure): throw failure
        }
    }

    @Test("a chart, a movie and its poster are fetched once, also across a restart, and each call is booked")
    func wholeWay() async throws {
        let day = Request(.day(Sample.date("2024-05-05"), .all))
        var chart: Event?
        var epoch = ""
        try await withWorker { run, _ in
            let fetched = try done(await run.client.perform(day, within: patience))
            #expect(fetched.from == .upstream)
            chart = fetched.events.first
            let code = try #require(try chart?.data(as: Chart.self).entries.first).movieCode
            let movie = Request(.movie(code, poster: true))
            let facts = try done(await run.client.perform(movie, within: patience))
            #expect(facts.events.map(\.topic) == [.movie(code), .poster(code)])
            #expect(facts.problems == [])
            #expect(try done(await run.client.perform(movie, within: patience)).from == .log)
            let status = try await status(run)
            #expect(status.quota["kobis"]?.used == 2)
            #expect(status.quota["kakao"]?.used == 1)
            #expect(status.positions["ranking"] == SequenceNumber(1))
            #expect(status.positions["request"] == SequenceNumber(6))
            epoch = status.epoch
        }
        try await withWorker { run, _ in
            let again = try done(await run.client.perform(day, within: patience))
            #expect(again.from == .log)
            #expect(again.events == [try #require(chart)])
            let status = try await status(run)
            #expect(status.epoch == epoch)
            #expect(status.quota["kobis"]?.used == 2)
        }
        await sandbox.shutdown()
    }

    @Test("a board's visitors cannot use a small day up: the operator's requests are done after theirs are refused")
    func visitors() async throws {
        try await withWorker(["MARQUEE_KOBIS_DAILY_LIMIT": "5", "MARQUEE_SCHEDULE": "off"]) { run, _ in
            var day = Sample.date("2024-05-31")
            func failure(as id: String) async throws -> ContractError? {
                day = day - 1
                let request = Request(.day(day, .all), id: Sample.id(id))
                guard case .failed(let failure) = try await run.client.perform(request, within: patience) else {
                    return nil
                }
                return failure
            }
            for number in 1...2 { #expect(try await failure(as: "board-visitor-\(number)") == nil) }
            let refused = try #require(await failure(as: "board-visitor-3"))
            #expect(refused.code == .quotaExhausted)
            #expect(refused.message.contains("today's 2 calls to kobis that visitors may make are used up"))
            for number in 1...3 { #expect(try await failure(as: "board-\(number)") == nil) }
            #expect(try await failure(as: "board-4")?.code == .quotaExhausted)
        }
        await sandbox.shutdown()
    }

    /// A day's chart with one movie, as KOBIS answers.
    private static let chart = """
        {"boxOfficeResult":{"dailyBoxOfficeList":[\
        {"rnum":"1","rank":"1","rankInten":"0","rankOldAndNew":"OLD","movieCd":"20240001","movieNm":"영화",\
        "openDt":"2024-05-01","salesAmt":"1","salesShare":"1","salesInten":"1","salesChange":"1","salesAcc":"1",\
        "audiCnt":"7","audiInten":"1","audiChange":"1","audiAcc":"1","scrnCnt":"1","showCnt":"1"}]}}
        """

    @Test("a request in progress when the worker ended is done once after the next start")
    func restart() async throws {
        let isSilent = Locked(true)
        let server = try ScriptedServer { exchange in
            if isSilent.withLock({ $0 }) { return exchange.waitForDisconnect() }
            exchange.answer(Self.chart, headers: ["Content-Type: application/json"])
        }
        let kobis = ["MARQUEE_KOBIS_URL": server.url]
        try await withWorker(kobis) { run, io in
            let client = try await io.open(.publisher, connect: [run.requests])
            await client.waitForSubscription()
            client.post([Message("fetch.day", #"{"date":"2024-06-04","id":"kept"}"#)])
            for await _ in server.arrivals { break }
        }
        isSilent.withLock { $0 = false }
        try await withWorker(kobis) { run, io in
            let answer = try await waitUntil("both events of the request") {
                try await run.commands.ask("latest", #"{"topic":"request."}"#)
            } is: {
                $0.frames.count >= 6
            }
            let topics = [answer.frames[2], answer.frames[4]].map { String(decoding: $0, as: UTF8.self) }
            #expect(topics == ["request.accepted.kept", "request.done.kept"])
            #expect(try await status(run).positions == ["ranking": SequenceNumber(1), "request": SequenceNumber(2)])
        }
        await sandbox.shutdown()
    }

    @Test("the worker's uptime only grows, though its clock is set back")
    func age() async throws {
        let reading = Locked(0.0)
        let clock = WallClock {
            reading.withLock { reading in
                reading -= 60
                return WorkerHarness.noon + reading
            }
        }
        try await withWorker(clock: clock) { run, _ in
            let uptime = try await status(run).uptime
            #expect(uptime >= 0)
        }
        await sandbox.shutdown()
    }

    @Test("a log that was filled from one service is not opened for another")
    func origin() async throws {
        try await withWorker { _, _ in }
        await #expect(throws: (any Error).self) {
            try await withWorker(["MARQUEE_KOBIS_URL": "http://elsewhere.invalid"]) { _, _ in }
        }
        await sandbox.shutdown()
    }
}
