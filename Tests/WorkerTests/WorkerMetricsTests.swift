import BoxOffice
import Contract
import Health
import Networking
import ServiceRuntime
import TestSupport
import Testing

@testable import Worker

@Suite(.patience) struct WorkerMetricsTests {
    private let metrics = Metrics()
    private let clock = ManualClock()

    @Test("a request is timed from its acceptance to its end, however it ends")
    func durations() async throws {
        let counts = WorkerMetrics(metrics, clock: clock)
        let (one, two) = (try #require(RequestID("one")), try #require(RequestID("two")))
        counts.countAccepted([one, two])
        clock.advance(by: .milliseconds(40))
        counts.countDone(one, from: .log)
        clock.advance(by: .seconds(20))
        counts.countFailed(two, ContractError(.notPublished, "not yet"))
        let text = try Exposition(await metrics.text())
        #expect(text["marquee_requests_accepted_total"] == 2)
        #expect(text["marquee_requests_done_total", ["from": "log"]] == 1)
        #expect(text["marquee_requests_done_total", ["from": "upstream"]] == 0)
        #expect(text["marquee_requests_failed_total", ["code": "notPublished"]] == 1)
        #expect(text["marquee_request_duration_seconds_bucket", ["le": "0.05"]] == 1)
        #expect(text["marquee_request_duration_seconds_sum"] == 20.08)
    }

    @Test("a request from before the start is counted but not timed")
    func earlier() async throws {
        let counts = WorkerMetrics(metrics, clock: clock)
        counts.countDone(try #require(RequestID("old")), from: .upstream)
        let text = try Exposition(await metrics.text())
        #expect(text["marquee_requests_done_total", ["from": "upstream"]] == 1)
        #expect(text["marquee_request_duration_seconds_count"] == 0)
    }

    @Test("calls are counted by service and outcome, and an unknown service adds no sample")
    func calls() async throws {
        let counts = WorkerMetrics(metrics, clock: clock)
        counts.countCall("kobis", nil, .milliseconds(100))
        counts.countCall("kobis", .timeout, .seconds(10))
        counts.countCall("poster", .notFound, .milliseconds(1))
        counts.countCall("stranger.example", nil, .zero)
        let text = try Exposition(await metrics.text())
        #expect(text["marquee_upstream_calls_total", ["service": "kobis", "outcome": "ok"]] == 1)
        #expect(text["marquee_upstream_calls_total", ["service": "kobis", "outcome": "timeout"]] == 1)
        #expect(text["marquee_upstream_calls_total", ["service": "poster", "outcome": "notFound"]] == 1)
        #expect(text["marquee_upstream_call_duration_seconds_sum", ["service": "kobis"]] == 10.1)
        let services = text.families["marquee_upstream_calls_total"]?.samples.compactMap { $0.labels["service"] }
        #expect(services.map(Set.init) == ["kobis", "kakao", "poster"])
    }

    @Test("scheduled requests are counted by kind and outcome, and no others are")
    func scheduled() async throws {
        let counts = WorkerMetrics(metrics, clock: clock)
        for id in [
            "schedule.day.2024-06-04.night.2", "schedule.movie.20240001.2024-06-04", "day.2024-06-04", "schedule",
        ] {
            counts.countDone(try #require(RequestID(id)), from: .upstream)
        }
        let weekend = try #require(RequestID("schedule.weekend.2024-05-31.morning"))
        counts.countFailed(weekend, ContractError(.notPublished, "not yet"))
        let text = try Exposition(await metrics.text())
        let name = "marquee_scheduled_requests_total"
        #expect(text[name, ["kind": "day", "outcome": "ok"]] == 1)
        #expect(text[name, ["kind": "movie", "outcome": "ok"]] == 1)
        #expect(text[name, ["kind": "weekend", "outcome": "notPublished"]] == 1)
        #expect(text.families[name]?.samples.reduce(0) { $0 + $1.value } == 3)
    }

    @Test("an anomaly is counted by its kind")
    func anomalies() async throws {
        let counts = WorkerMetrics(metrics, clock: clock)
        counts.countAnomaly(.late(Sample.day, in: .all, at: "09:00"))
        let text = try Exposition(await metrics.text())
        #expect(text["marquee_anomalies_total", ["kind": "late"]] == 1)
        #expect(text["marquee_anomalies_total", ["kind": "shrunk"]] == 0)
    }

    @Test("a refusal is counted by its code")
    func refusals() async throws {
        let counts = WorkerMetrics(metrics, clock: clock)
        counts.countRejected(ContractError(.overloaded, "full"))
        let text = try Exposition(await metrics.text())
        #expect(text["marquee_requests_refused_total", ["code": "overloaded"]] == 1)
        #expect(text["marquee_requests_refused_total", ["code": "badRequest"]] == 0)
    }
}

@Suite(.patience) struct KobisKeyHealthTests {
    private static let refusal = "key: KOBIS rejects the key; check MARQUEE_KOBIS_KEY"

    @Test("without a key the worker is not ready")
    func none() async {
        #expect(
            await KobisKeyHealth(nil).check.failureReason() == "key: no KOBIS key is configured; set MARQUEE_KOBIS_KEY")
    }

    @Test(
        "the last response that reveals the state of the key counts",
        arguments: [
            ([], nil), ([.unauthorized], refusal), ([.forbidden], refusal), ([.unauthorized, nil], nil),
            ([.unauthorized, .notPublished], nil), ([.unauthorized, .quotaExhausted], nil),
            ([.unauthorized, .timeout], refusal), ([.unauthorized, .unavailable], refusal),
            ([.unauthorized, .invalid], refusal), ([nil, .maintenance], nil), ([nil, .unauthorized], refusal),
        ] as [([UpstreamError.Kind?], String?)])
    func answers(outcomes: [UpstreamError.Kind?], reason: String?) async {
        let key = KobisKeyHealth(Secret("key"))
        for outcome in outcomes { key.recordCall("kobis", outcome) }
        #expect(await key.check.failureReason() == reason)
    }

    @Test("other services' refusals do not count")
    func others() async {
        let key = KobisKeyHealth(Secret("key"))
        key.recordCall("kakao", .unauthorized)
        key.recordCall("poster", .forbidden)
        #expect(await key.check.failureReason() == nil)
    }
}
