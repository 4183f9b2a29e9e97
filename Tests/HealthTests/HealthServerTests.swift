import Concurrency
import Networking
import Operations
import TestSupport
import Testing

@testable import Health

@Suite(.timeLimit(.minutes(5))) struct HealthServerTests {
    @Test("a process that lives and can do its job says ok")
    func well() async throws {
        let site = try Site(livesIf: [HealthCheck("a") { nil }], isReadyIf: [HealthCheck("b") { nil }])
        for path in ["/healthz", "/readyz"] {
            let answer = try await site.visit(path)
            #expect(answer.status == 200)
            #expect(answer.text == "ok\n")
        }
        try await site.end()
    }

    @Test("what does not hold is told, a line for each, in the order of the checks")
    func unwell() async throws {
        let site = try Site(
            livesIf: [HealthCheck("d") { "d: dead" }],
            isReadyIf: [HealthCheck("a") { "a: away" }, HealthCheck("b") { nil }, HealthCheck("c") { "c: cold" }])
        let life = try await site.visit("/healthz")
        #expect(life.status == 503)
        #expect(life.text == "d: dead\n")
        let readiness = try await site.visit("/readyz")
        #expect(readiness.status == 503)
        #expect(readiness.text == "a: away\nc: cold\n")
        try await site.end()
    }

    @Test("figures and readiness come as Prometheus text")
    func metrics() async throws {
        let metrics = Metrics()
        metrics.counter("marquee_tests_total", "Tests.").add(2)
        let site = try Site(
            metrics: metrics, isReadyIf: [HealthCheck("database") { nil }, HealthCheck("key") { "key: refused" }])
        let answer = try await site.visit("/metrics")
        #expect(answer.status == 200)
        #expect(answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        let text = try Exposition(answer.text)
        #expect(text["marquee_tests_total"] == 2)
        #expect(text["marquee_ready", ["check": "database"]] == 1)
        #expect(text["marquee_ready", ["check": "key"]] == 0)
        try await site.end()
    }

    @Test("nothing else is there, and nothing can be changed")
    func strangers() async throws {
        let site = try Site()
        #expect(try await site.visit("/").status == 404)
        #expect(try await site.visit("/metrics/").status == 404)
        let answer = try await site.visit("/metrics", method: .post)
        #expect(answer.status == 405)
        #expect(answer["Allow"] == "GET, HEAD")
        #expect(try await site.visit("/healthz", method: .head).status == 200)
        try await site.end()
    }

    @Test("an address in use is an error of one line that names it")
    func addressInUse() async throws {
        let site = try Site()
        let error = #expect(throws: (any Error).self) { try Site(address: site.server.address) }
        #expect("\(try #require(error))" == "cannot listen on \(site.server.address): Address already in use")
        try await site.end()
    }

    @Test("as the first service of a group it answers until the others have ended")
    func order() async throws {
        let site = try Site()
        let answers = Locked<[String]>([])
        let (asked, ask) = AsyncStream.makeStream(of: Never.self)
        let other = SimpleService {
            for await _ in asked {}
            let answer = try await site.visit("/healthz").text
            answers.withLock { $0.append(answer) }
        } stop: {
            ask.finish()
        }
        try await ServiceGroup([site.server, other], grace: .seconds(30)).run {}
        #expect(answers.withLock { $0 } == ["ok\n"])
        await #expect(throws: (any Error).self) { try await site.visit("/healthz") }
    }
}
