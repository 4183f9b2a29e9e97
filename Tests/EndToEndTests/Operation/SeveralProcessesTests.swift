import Foundation
import Networking
import TestSupport
import Testing

extension Failures {
    /// Two workers, or two notifiers, with one database.
    @Suite struct SeveralProcessesTests {
        /// Runs a harness, and beside its worker another one with the same database and sockets of its own.
        private static func run(
            _ body: (ProcessHarness, Client, _ second: Program, _ atSecond: Client) async throws -> Void
        ) async throws {
            let address = try await StoredState.makeDatabase()
            try await ProcessHarness.run(settings: ["MARQUEE_DATABASE": address]) { harness, client in
                let folder = try TemporaryFolder()
                var changes = ["MARQUEE_DATA": folder.file("data"), "MARQUEE_WORKER_HTTP": "127.0.0.1:0"]
                for name in ["REQUESTS", "COMMANDS", "EVENTS"] {
                    changes["MARQUEE_\(name)"] = "ipc://\(folder.file(name))"
                }
                let second = try harness.start(["worker"], changes: changes)
                try #require(await second.error(containing: "worker ready") != nil)
                let atSecond = try await Client(environment: harness.environment.merging(changes) { $1 })
                try await body(harness, client, second, atSecond)
                _ = try await atSecond.close()
                second.signal(SIGTERM)
                #expect(await second.ended().status == 0)
            }
        }

        @Test("each publishes what all have committed, in the order of the log and byte for byte")
        func sameStream() async throws {
            try await Self.run { harness, client, _, atSecond in
                try await client.waitForHeartbeat(of: .worker)
                try await atSecond.waitForHeartbeat(of: .worker)
                for number in 1...4 {
                    // The last two are answered from the log, whose events come again, before their end.
                    let asked = number.isMultiple(of: 2) ? atSecond : client
                    let body = #"{"date":"2024-06-0\#(4 + number % 2)","id":"r\#(number)"}"#
                    #expect(try await asked.ask("fetch.day", body).word == "accepted")
                    for client in [client, atSecond] { #expect(try await client.outcome(of: "r\(number)").isDone) }
                }
                let streams = [client, atSecond].map { client in
                    client.events.filter { !$0.topic.hasPrefix("heartbeat.") && $0.body["stream"] != "alert" }
                }
                #expect(streams[0].map(\.text) == streams[1].map(\.text))
                let ends = streams[0].map(\.topic).filter { $0.hasPrefix("ranking.") || $0.hasPrefix("request.done.") }
                #expect(
                    ends == [
                        "ranking.day.all.2024-06-05", "request.done.r1", "ranking.day.all.2024-06-04",
                        "request.done.r2",
                        "ranking.day.all.2024-06-05", "request.done.r3", "ranking.day.all.2024-06-04",
                        "request.done.r4",
                    ])
            }
        }

        @Test("the status of each lists both and what they work on, until one has left")
        func status() async throws {
            try await Self.run { harness, client, _, atSecond in
                try await harness.setFaults(["kobis": ["hang": 1, "times": 1]])
                #expect(try await client.ask("fetch.day", #"{"date":"2024-06-04","id":"mine"}"#).word == "accepted")
                try await harness.waitForRequests(1, at: ProcessHarness.dailyCharts)
                for (index, client) in [client, atSecond].enumerated() {
                    let status = try await client.ask("status").body
                    let workers = status["workers"].list
                    #expect(workers.map { $0["requests"] } == [1, 0])
                    #expect(workers.map { $0["isLeader"] } == [true, false])
                    #expect(workers[index]["name"] == status["name"])
                }
                await harness.end(.worker)
                #expect(try await atSecond.outcome(of: "mine").isDone)
                let workers = try await atSecond.ask("status").body["workers"].list
                #expect(workers.map { $0["requests"] } == [0] && workers.map { $0["isLeader"] } == [true])
            }
        }

        @Test(
            "a request whose worker is killed or freezes is taken over, and ends once", arguments: [SIGKILL, SIGSTOP])
        func takeover(signal: Int32) async throws {
            try await Self.run { harness, client, second, atSecond in
                try await harness.setFaults(["kobis": ["hang": 1, "times": 1]])
                let body = #"{"date":"2024-06-04","id":"mine"}"#
                #expect(try await client.ask("fetch.day", body).word == "accepted")
                try await harness.waitForRequests(1, at: ProcessHarness.dailyCharts)
                let first = try harness[.worker]
                first.signal(signal)
                // The other one knows the request, and has its end when the first one counts as dead.
                #expect(try await atSecond.ask("fetch.day", body).word == "accepted")
                #expect(try await atSecond.outcome(of: "mine").isDone)
                if signal == SIGKILL { try await harness.restart(.worker, by: SIGKILL) }
                first.signal(SIGCONT)
                // Back again, the first one goes on, and has what was published meanwhile.
                try await client.waitForHeartbeat(of: .worker)
                #expect(try await client.day("2024-06-05").isDone)
                let log = try await harness.state.topics(of: .worker)
                #expect(log.filter { $0.hasSuffix(".mine") } == ["request.accepted.mine", "request.done.mine"])
                #expect(log.count { $0.hasPrefix("ranking.") } == 2)
            }
        }

        @Test("one that is stopped in order leaves its requests to the other at once")
        func orderlyStop() async throws {
            try await Self.run { harness, client, _, atSecond in
                try await harness.setFaults(["kobis": ["hang": 1, "times": 1]])
                let body = #"{"date":"2024-06-04","id":"mine"}"#
                #expect(try await client.ask("fetch.day", body).word == "accepted")
                try await harness.waitForRequests(1, at: ProcessHarness.dailyCharts)
                await harness.end(.worker)
                #expect(try await atSecond.outcome(of: "mine").isDone)
            }
        }

        @Test("an order to the shop at the one that does not lead is carried out once, by the other")
        func order() async throws {
            try await Self.run { _, _, _, atSecond in
                let answer = try await atSecond.ask(frames: ProductTests.registration("order"))
                #expect(answer.word == "accepted")
                let outcome = try await atSecond.outcome(of: "order")
                #expect(outcome.isDone)
            }
        }

        @Test("a command that a client has sent to both, as the first was slow, counts once")
        func commands() async throws {
            try await Self.run { harness, client, _, atSecond in
                let chart = try #require(try await client.day("2024-06-04").events.first)
                let code = chart.data["entries"][0]["movieCode"]
                _ = try await client.request("fetch.movie", ["code": code])
                let rejection = try JSON.object(["code": code, "reject": true, "id": "mine"]).line
                #expect(try await client.ask("poster", rejection).word == "accepted")
                let next = try #require(try await client.outcome(of: "mine").events.last)
                #expect(try await atSecond.ask("poster", rejection).body["id"] == "mine")
                // Nobody has rejected the next one.
                let again = try await client.request("fetch.movie", ["code": code, "refresh": true])
                #expect(again.events.last?.data["hit"] == next.data["hit"])

                try await harness.setFaults(["kobis": ["hang": 1]])
                let days = #"{"first":"2024-05-01","last":"2024-05-03"}"#
                async let answer = client.ask("backfill", days)
                let (first, second) = try await (answer, atSecond.ask("backfill", days))
                #expect([first.word, second.word] == ["accepted", "accepted"] && first.body == second.body)
            }
        }

        /// What the alerts of `deploy/` know a waiting notifier by.
        private static let standby = #"marquee_ready{check="standby"} 0"#

        @Test(
            "of two notifiers one waits; it goes on when the first is killed or freezes, and no alert is lost or doubled",
            arguments: [SIGKILL, SIGSTOP])
        func notifiers(signal: Int32) async throws {
            let address = try await StoredState.makeDatabase()
            try await ProcessHarness.run(settings: ["MARQUEE_DATABASE": address]) { harness, client in
                let (folder, http) = (try TemporaryFolder(), "127.0.0.1:\(try reservePort())")
                let changes = [
                    "MARQUEE_DATA": folder.file("data"), "MARQUEE_NOTIFIER_HTTP": http,
                    "MARQUEE_ALERTS": "ipc://\(folder.file("alerts"))",
                    "MARQUEE_ALERT_COMMANDS": "ipc://\(folder.file("commands"))",
                ]
                for day in 1...3 { _ = try await client.day("2024-06-0\(day)") }
                try await waitUntil("alerts of the last day are decided") {
                    try await harness.state.topics(of: .notifier)
                } is: {
                    $0.contains { $0.hasSuffix("2024-06-03") }
                }
                let second = try harness.start(["notifier"], changes: changes)
                try #require(await second.error(containing: "waits to take its place") != nil)
                #expect(try await JSON(harness.lines("status", "--alerts", "--json").joined())["name"].text != nil)
                let browser = HTTPClient(retry: .never)
                try await waitUntil("the second one says that it stands by") {
                    let request = HTTPRequest("http://\(http)/metrics")
                    let page = try? await browser.send(APICall(service: "health", request: request) { $0 })
                    return page.map { String(decoding: $0.body, as: UTF8.self) }?.contains(Self.standby) ?? false
                }
                await browser.shutdown()
                let first = try harness[.notifier]
                first.signal(signal)
                for day in 4...5 { _ = try await client.day("2024-06-0\(day)") }
                try #require(await second.error(containing: "notifier ready") != nil)
                try await waitUntil("alerts of the last day are decided") {
                    try await harness.state.topics(of: .notifier)
                } is: {
                    $0.contains { $0.hasSuffix("2024-06-05") }
                }
                first.signal(SIGCONT)
                // Awake, the first one finds its place taken and ends.
                #expect(await first.ended().status != 0)
                let alerts = try await harness.state.topics(of: .notifier).filter { $0.hasPrefix("alert.") }
                #expect(Set(alerts).count == alerts.count)
                second.signal(SIGTERM)
                #expect(await second.ended().status == 0)
                try await harness.restart(.notifier, by: SIGTERM)
                #expect(try await harness.state.topics(of: .notifier).filter { $0.hasPrefix("alert.") } == alerts)
            }
        }

        @Test("when a newer version has changed the tables, the notifier at work ends, and the one that waits, too")
        func newerTables() async throws {
            let address = try await StoredState.makeDatabase()
            try await ProcessHarness.run(settings: ["MARQUEE_DATABASE": address]) { harness, _ in
                let folder = try TemporaryFolder()
                let changes = ["MARQUEE_DATA": folder.file("data"), "MARQUEE_NOTIFIER_HTTP": "127.0.0.1:0"]
                let second = try harness.start(["notifier"], changes: changes)
                try #require(await second.error(containing: "waits to take its place") != nil)
                let first = try harness[.notifier]
                try await harness.state.change("update marquee_schema set version = version + 1", of: .notifier)
                for notifier in [first, second] {
                    let end = await notifier.ended()
                    #expect(end.status == 1 && end.errors.contains { $0.contains("newer version") }, "\(end.errors)")
                }
                try await harness.state.change("update marquee_schema set version = version - 1", of: .notifier)
                try await harness.restart(.notifier, by: SIGTERM)
            }
        }
    }
}
