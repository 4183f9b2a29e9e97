import Concurrency
import Contract
import Foundation
import Networking
import ServiceRuntime
import Storage
import TestSupport
import Testing
import WebServer

@testable import Board

/// What one visitor can take from the others, and what a visitor who is not signed in can see.
@Suite(.patience) struct StrangersTests {
    private static let password = "correct-horse-7"

    private func client(_ text: String) throws -> ClientAddress { try #require(ClientAddress(text)) }

    /// Opens an empty read model, and calls `body` with what answers from it.
    private func withAnswers(_ body: (SharedResponses) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let database = try ReadModel.open(
            folder.file("board.db"), logger: Logger(label: "test", wallClock: .system) { _ in })
        try await body(SharedResponses(of: try await ReadModel(database)))
        await database.close()
    }

    private func header(_ name: String, of response: WebResponse) -> String? {
        response.headers.first { $0.name == name }?.value
    }

    // MARK: - Answers

    @Test("an answer is made once for all who ask at the same time, and not at all for whoever has it")
    func once() async throws {
        try await withAnswers { answers in
            let (made, gate) = (Locked(0), AsyncCondition(false))
            @Sendable func ask() async throws -> WebResponse {
                let headers = [(name: "Accept-Encoding", value: "gzip")]
                return try await answers.response(to: WebRequest(path: "/", headers: headers), "year", isHeavy: true) {
                    made.withLock { $0 += 1 }
                    await gate.waitIgnoringCancellation { $0 ? () : nil }
                    return [UInt8](repeating: 0x61, count: 10_000)
                }
            }
            let bodies = try await withThrowingTaskGroup(of: WebResponse.self) { tasks in
                for _ in 0..<50 { tasks.addTask { try await ask() } }
                try await waitUntil("all ask", look: { answers.waitingCount }, is: { $0 == 50 })
                gate.update { $0 = true }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(made.withLock { $0 } == 1)
            let shared = bodies.compactMap { if case .shared(let bytes) = $0.body { bytes } else { nil } }
            #expect(shared.count == 50 && shared.allSatisfy { $0 === shared[0] && $0.count < 1_000 })
            let tag = try #require(header("ETag", of: bodies[0]))
            let known = try await answers.response(
                to: WebRequest(path: "/", headers: [("If-None-Match", tag)]), "not made yet"
            ) {
                Issue.record("made an answer that the client has")
                return []
            }
            #expect(known.status == 304)
        }
    }

    @Test("few heavy answers are made or wait, of one client and of all; light ones have no part in that")
    func heavy() async throws {
        try await withAnswers { answers in
            let gate = AsyncCondition(false)
            @Sendable func ask(_ address: String, _ client: ClientAddress, isHeavy: Bool = true) async throws -> Int {
                try await answers.response(
                    to: WebRequest(path: "/", client: client), address, isHeavy: isHeavy
                ) {
                    if isHeavy { await gate.waitIgnoringCancellation { $0 ? () : nil } }
                    return [1]
                }.status
            }
            let clients = try (1...5).map { try client("192.0.2.\($0)") }
            try await withThrowingTaskGroup(of: Int.self) { tasks in
                for (number, client) in clients.prefix(4).enumerated() {
                    for year in 1...SharedResponses.heavyPerClient {
                        tasks.addTask { try await ask("\(number)/\(year)", client) }
                        let count = number * SharedResponses.heavyPerClient + year
                        try await waitUntil("heavy answers", look: { answers.waitingCount }, is: { $0 == count })
                    }
                    await #expect(throws: SharedResponses.BusyError.self) { try await ask("other", client) }
                }
                #expect(answers.waitingCount == SharedResponses.heavyLimit)
                await #expect(throws: SharedResponses.BusyError.self) { try await ask("other", clients[4]) }
                #expect(try await ask("light", clients[4], isHeavy: false) == 200)
                gate.update { $0 = true }
                for try await status in tasks { #expect(status == 200) }
            }
            #expect(answers.waitingCount == 0)
            #expect(try await ask("other", clients[4]) == 200)
        }
    }

    @Test("an answer's tag changes with the read model, and not before")
    func tags() async throws {
        let harness = try BoardHarness()
        let worker = try await harness.startPublisher()
        try await harness.open { (address) async throws in
            let client = BoardClient(address: address)
            let stream = try EventStreamClient(address)
            _ = await stream.next(1, "hello")
            let first = try Sample.chart("2024-06-04", "AB")
            try await worker.publish(Sample.topic(first), first)
            _ = await stream.next(1, "chart")
            let path = "/api/v1/history.csv?from=2024-06-01&to=2024-06-30"
            let tag = try #require(try await client.get(path)["ETag"])
            let known = [HTTPField("If-None-Match", tag)]
            #expect(try await client.get(path, headers: known).status == 304)
            let second = try Sample.chart("2024-06-05", "AB")
            try await worker.publish(Sample.topic(second), second)
            _ = await stream.next(1, "chart")
            let newer = try await client.get(path, headers: known)
            #expect(newer.status == 200 && newer["ETag"] != tag)
            #expect(String(decoding: newer.body, as: UTF8.self).contains("2024-06-05,"))
        }
        await worker.end()
    }

    // MARK: - Limits by address

    @Test("a client that asks too often is refused for a while, another one and the probes are not")
    func rate() async throws {
        let harness = try BoardHarness(["MARQUEE_BOARD_CLIENT_RATE": "1", "MARQUEE_BOARD_PROXIES": "127.0.0.1"])
        let worker = try await harness.startPublisher()
        try await harness.open(clock: ManualClock()) { (address) async throws in
            var generator = SeededGenerator(seed: 1)
            func get(_ path: String, from client: String) async throws -> HTTPResponse {
                // What the client itself writes before its address changes nothing.
                let field = "203.0.113.\(Int.random(in: 1...250, using: &generator)), \(client)"
                return try await BoardClient(address: address).get(
                    path, headers: [HTTPField("X-Forwarded-For", field)])
            }
            for _ in 1...20 { #expect(try await get("/api/v1/areas", from: "198.51.100.7").status == 200) }
            let refused = try await get("/api/v1/areas", from: "198.51.100.7")
            #expect(refused.status == 429 && refused["Retry-After"] == "1")
            #expect(try await get("/healthz", from: "198.51.100.7").status == 200)
            #expect(try await get("/api/v1/areas", from: "198.51.100.8").status == 200)
        }
        await worker.end()
    }

    @Test("tokens come back with time, and a table of clients does not grow without end")
    func tables() throws {
        let clock = ManualClock()
        let limits = VisitorLimits(burst: 20, perSecond: 1, clock: clock)
        let one = try client("2001:db8::1")
        for _ in 1...20 { #expect(limits.admit(one)) }
        let neighbour = try client("2001:db8::2")
        #expect(!limits.admit(neighbour), "the same network")
        clock.advance(by: .seconds(2))
        #expect([limits.admit(one), limits.admit(one), limits.admit(one)] == [true, true, false])
        for number in 0..<20_000 {
            let client = try client("10.0.\(number / 250).\(number % 250)")
            for _ in 1...20 { #expect(limits.admit(client)) }
            #expect(!limits.admit(client))
        }
        #expect(limits.clientCount <= 2 * VisitorLimits.clientLimit)
    }

    @Test("one client has some places for live updates, and leaves the others alone")
    func live() async throws {
        let hub = EventStreamHub(epoch: "e", recent: [], limitPerClient: 2)
        let (one, other) = (try client("192.0.2.1"), try client("192.0.2.2"))
        #expect(hub.connect(after: nil, from: one) != nil)
        #expect(hub.connect(after: nil, from: one) != nil)
        #expect(hub.connect(after: nil, from: one) == nil)
        #expect(hub.connect(after: nil, from: other) != nil)
        #expect(hub.clientCount == 3)
        let harness = try BoardHarness(["MARQUEE_BOARD_CLIENT_LIVE": "1"])
        let worker = try await harness.startPublisher()
        try await harness.open { (address) async throws in
            let stream = try EventStreamClient(address)
            _ = await stream.next(1, "hello")
            let refused = try await BoardClient(address: address).get("/api/v1/live")
            #expect(refused.status == 429 && refused["Retry-After"] == "30")
            withExtendedLifetime(stream) {}
        }
        await worker.end()
    }

    // MARK: - Visitors and the operator

    /// Returns the names of the fields of the status and of the worker's.
    private func status(_ client: BoardClient) async throws -> (all: Set<String>, worker: Set<String>) {
        let status = try await client.json("status")
        let processes = try #require(status["processes"] as? [String: Any])
        return (Set(status.keys), Set((processes["worker"] as? [String: Any] ?? [:]).keys))
    }

    @Test("a visitor sees that the processes run; who is signed in sees all of the status, and the metrics")
    func visitorsStatus() async throws {
        let harness = try BoardHarness(["MARQUEE_BOARD_PASSWORD": Self.password])
        let worker = try await harness.startPublisher()
        try await harness.open { (address) async throws in
            var client = BoardClient(address: address)
            let part = try await status(client)
            #expect(part == (["isWhole", "processes", "anomalies"], []))
            #expect(try await client.get("/metrics").status == 403)
            let session = try await client.json("session") as? [String: Bool]
            #expect(session == ["isSignedIn": false, "canSignIn": true, "isOperator": false])
            let cookie = try await client.post("session", #"{"password":"\#(Self.password)"}"#)["Set-Cookie"] ?? ""
            client.headers = [HTTPField("Cookie", String(cookie.prefix { $0 != ";" }))]
            // The board shows a worker that is slow to answer as one that does not.
            let whole = try await waitUntil("the worker's status") {
                try await status(client)
            } is: {
                $0.worker.contains("version")
            }
            #expect(whole.all == ["isWhole", "processes", "board", "failures", "anomalies"])
            #expect(try await client.get("/metrics").status == 200)
            #expect(try await client.json("session")["isOperator"] as? Bool == true)
        }
        await worker.end()
    }

    @Test("a board for its own machine alone is its operator's, but not where a proxy passes requests on")
    func privateBoard() async throws {
        let body = #"{"topic":"fetch.day","date":"2024-06-04","refresh":true}"#
        let harness = try BoardHarness()
        let worker = try await harness.startPublisher()
        try await harness.open { (address) async throws in
            var client = BoardClient(address: address)
            #expect(try await status(client).all.contains("failures"))
            #expect(try await client.get("/metrics").status == 200)
            #expect(try await client.post("requests", body).status == 202)
            client.headers = [HTTPField("X-Forwarded-For", "127.0.0.1")]
            #expect(try await status(client).all.contains("failures") == false)
            #expect(try await client.get("/metrics").status == 403)
            #expect(try await client.post("requests", body).status == 202)
        }
        let requests = worker.accepted.map { String(decoding: $0[1], as: UTF8.self) }
        #expect(requests.map { $0.contains("refresh") } == [true, false])
        #expect(requests.map { $0.contains(#""id":"board-visitor-"#) } == [false, true])
        #expect(harness.log.withLock { $0 }.components(separatedBy: "MARQUEE_BOARD_PROXIES").count == 2, "warned once")
        await worker.end()
    }

    @Test(
        "a setting that only a public board needs makes its visitors strangers",
        arguments: [
            ["MARQUEE_PUBLIC_URL": "http://board.example"], ["MARQUEE_BOARD_PROXIES": "192.0.2.1"],
            ["MARQUEE_BOARD_HOSTS": "board.example"], ["MARQUEE_BOARD_HTTP": "0.0.0.0:0"],
        ])
    func publicBoard(settings: [String: String]) async throws {
        let harness = try BoardHarness(settings)
        let worker = try await harness.startPublisher()
        try await harness.open { (address) async throws in
            let client = BoardClient(address: address.replacing("0.0.0.0", with: "127.0.0.1"))
            #expect(try await client.json("session")["isOperator"] as? Bool == false)
            #expect(try await client.get("/metrics").status == 403)
        }
        await worker.end()
    }

    @Test("the operator's pages can have an address of their own", .patience)
    func metricsAddress() async throws {
        let harness = try BoardHarness([
            "MARQUEE_BOARD_PASSWORD": Self.password, "MARQUEE_BOARD_METRICS_HTTP": "127.0.0.1:0",
        ])
        let worker = try await harness.startPublisher()
        try await harness.open { _ in
            let log = harness.log.withLock { $0 }
            let found = try #require(log.firstMatch(of: /metrics=(\S+)/))
            let client = BoardClient(address: String(found.1))
            for path in ["/metrics", "/healthz", "/readyz"] {
                try await waitUntil("\(path) is well") { try await client.get(path).status == 200 }
            }
            #expect(try await client.get("/").status == 404)
        }
        await worker.end()
    }

    @Test(
        "with an https URL the cookie is always for HTTPS alone, and browsers keep to HTTPS",
        arguments: [("/", "__Host-marquee-session="), ("/marquee/", "__Secure-marquee-session=")])
    func secureCookie(base: String, name: String) async throws {
        let harness = try BoardHarness([
            "MARQUEE_BOARD_PASSWORD": Self.password, "MARQUEE_PUBLIC_URL": "https://board.example\(base)",
        ])
        let worker = try await harness.startPublisher()
        var options = BoardProcess.Options()
        options.basePath = try #require(BasePath(base))
        try await harness.open(options) { (address) async throws in
            let client = BoardClient(address: address, headers: [HTTPField("Host", "board.example")])
            let answer = try await client.get(
                "\(base)api/v1/session", .post, headers: [HTTPField("Content-Type", "application/json")],
                body: Array(#"{"password":"\#(Self.password)"}"#.utf8))
            let cookie = try #require(answer["Set-Cookie"])
            #expect(cookie.hasPrefix(name) && cookie.hasSuffix("; Secure") && cookie.contains("; Path=\(base);"))
            #expect(answer["Strict-Transport-Security"] == "max-age=31536000")
            let session = try await client.get(
                "\(base)api/v1/session", headers: [HTTPField("Cookie", String(cookie.prefix { $0 != ";" }))])
            #expect(String(decoding: session.body, as: UTF8.self).contains("\"isSignedIn\":true"))
        }
        await worker.end()
    }
}
