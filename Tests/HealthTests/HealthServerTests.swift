import Concurrency
import Networking
import ServiceRuntime
import TestSupport
import Testing

@testable import Health

@Suite(.patience) struct HealthServerTests {
    @Test("a process whose checks hold answers ok")
    func healthy() async throws {
        let harness = try HealthServerHarness(
            liveness: [HealthCheck("a") { nil }], readiness: [HealthCheck("b") { nil }])
        for path in ["/healthz", "/readyz"] {
            let answer = try await harness.get(path)
            #expect(answer.status == 200)
            #expect(answer.text == "ok\n")
        }
        try await harness.stop()
    }

    @Test("whoever asks, and whatever host he names, learns the state, and the metrics only under a known name")
    func foreignName() async throws {
        let harness = try HealthServerHarness(readiness: [HealthCheck("a") { "a: away" }])
        for (path, status) in [("/healthz", 200), ("/readyz", 503), ("/metrics", 421)] {
            #expect(try await harness.get(path, headers: [HTTPField("Host", "lb.example")]).status == status)
        }
        try await harness.stop()
    }

    @Test("failed checks are listed, one a line, in their order")
    func failing() async throws {
        let harness = try HealthServerHarness(
            liveness: [HealthCheck("d") { "d: dead" }],
            readiness: [HealthCheck("a") { "a: away" }, HealthCheck("b") { nil }, HealthCheck("c") { "c: cold" }])
        let life = try await harness.get("/healthz")
        #expect(life.status == 503)
        #expect(life.text == "d: dead\n")
        let readiness = try await harness.get("/readyz")
        #expect(readiness.status == 503)
        #expect(readiness.text == "a: away\nc: cold\n")
        try await harness.stop()
    }

    @Test("metrics and readiness are in Prometheus text format")
    func metrics() async throws {
        let metrics = Metrics()
        metrics.counter("marquee_tests_total", "Tests.").add(2)
        let harness = try HealthServerHarness(
            metrics: metrics, readiness: [HealthCheck("database") { nil }, HealthCheck("key") { "key: refused" }])
        let answer = try await harness.get("/metrics")
        #expect(answer.status == 200)
        #expect(answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        let text = try Exposition(answer.text)
        #expect(text["marquee_tests_total"] == 2)
        #expect(text["marquee_ready", ["check": "database"]] == 1)
        #expect(text["marquee_ready", ["check": "key"]] == 0)
        try await harness.stop()
    }

    @Test("however often the pages are asked for, a check runs once a second")
    func rate() async throws {
        let runs = Locked(0)
        let clock = ManualClock()
        let check = HealthCheck("a", clock: clock) {
            runs.withLock { $0 += 1 }
            return nil
        }
        let harness = try HealthServerHarness(liveness: [check], readiness: [check])
        for second in 1...2 {
            for path in ["/healthz", "/readyz", "/metrics", "/readyz", "/metrics"] {
                #expect(try await harness.get(path).status == 200)
            }
            #expect(runs.withLock { $0 } == second)
            clock.advance(by: .seconds(1))
        }
        try await harness.stop()
    }

    @Test("other paths are not found, and other methods not allowed")
    func otherRequests() async throws {
        let harness = try HealthServerHarness()
        #expect(try await harness.get("/").status == 404)
        #expect(try await harness.get("/metrics/").status == 404)
        let answer = try await harness.get("/metrics", method: .post)
        #expect(answer.status == 405)
        #expect(answer["Allow"] == "GET, HEAD, OPTIONS")
        #expect(try await harness.get("/healthz", method: .head).status == 200)
        try await harness.stop()
    }

    @Test(
        "a load balancer that asks with OPTIONS learns the state and nothing more; HAProxy names no page and no host",
        arguments: [("/", 200), ("/healthz", 200), ("/readyz", 503)])
    func options(path: String, status: Int) async throws {
        let harness = try HealthServerHarness(
            liveness: [HealthCheck("a") { nil }], readiness: [HealthCheck("b") { "b: away" }])
        let answer = try await RawClient.talk(to: harness.server.address, "OPTIONS \(path) HTTP/1.0\r\n\r\n")
        #expect(answer.contains(" \(status) "))
        #expect(answer.contains("\r\nAllow: GET, HEAD, OPTIONS\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n"))
        try await harness.stop()
    }

    @Test("an address in use is an error of one line that names the address")
    func addressInUse() async throws {
        let harness = try HealthServerHarness()
        let error = #expect(throws: (any Error).self) { try HealthServerHarness(address: harness.server.address) }
        #expect("\(try #require(error))" == "cannot listen on \(harness.server.address): Address already in use")
        try await harness.stop()
    }

    @Test("the first service of a group answers until the others have ended")
    func order() async throws {
        let harness = try HealthServerHarness(address: "127.0.0.1:\(try reservePort())")
        let answers = Locked<[String]>([])
        let (stopped, stopping) = AsyncStream.makeStream(of: Never.self)
        let other = SimpleService {
            for await _ in stopped {}
            let answer = try await harness.get("/healthz").text
            answers.withLock { $0.append(answer) }
        } stop: {
            stopping.finish()
        }
        try await ServiceGroup([harness.server, other], grace: .seconds(3_600)).run {}
        #expect(answers.withLock { $0 } == ["ok\n"])
        await #expect(throws: (any Error).self) { try await harness.get("/healthz") }
    }
}
