import BoxOffice
import Concurrency
import Contract
import Networking
import ServiceRuntime
import Upstreams

struct WorkerMetrics: Sendable {
    /// A service or a kind of scheduled request, and the code of the error with which it ended; `ok` without one.
    private struct Outcome: Hashable {
        let subject: String
        let outcome: String

        init(_ subject: String, _ failure: String?) {
            self.subject = subject
            outcome = failure ?? "ok"
        }

        static func all(of subjects: [String], _ failures: [String]) -> [Outcome] {
            subjects.flatMap { subject in ([nil] + failures).map { Outcome(subject, $0) } }
        }
    }

    private static let services = [Kobis.service, KakaoImageSearch.service, PosterSearch.service]
    private static let scheduledKinds = ["day"] + Week.Span.allCases.map(\.rawValue) + ["movie"]

    private let accepted: Counter
    private let refused: [ContractError.Code: Counter]
    private let done: [RequestDone.Source: Counter]
    private let failed: [ContractError.Code: Counter]
    private let scheduled: [Outcome: Counter]
    private let anomalies: [Anomaly.Kind: Counter]
    private let durations: Histogram
    private let calls: [Outcome: Counter]
    private let callDurations: [String: Histogram]
    /// The time since their acceptance of the requests that have not ended; the inbox bounds their number.
    private let outstanding = Locked<[RequestID: Stopwatch]>([:])
    private let clock: any Clock<Duration>

    init(_ metrics: Metrics, clock: any Clock<Duration>) {
        self.clock = clock
        accepted = metrics.counter("marquee_requests_accepted_total", "Requests accepted into the inbox.")
        refused = metrics.counters(
            "marquee_requests_refused_total", "Requests refused, by the error that the client got.",
            for: ContractError.Code.allCases
        ) { ["code": $0.rawValue] }
        done = metrics.counters(
            "marquee_requests_done_total",
            "Requests that ended with events, by the source of these: the log or an upstream.",
            for: RequestDone.Source.allCases
        ) { ["from": $0.rawValue] }
        failed = metrics.counters(
            "marquee_requests_failed_total", "Accepted requests that failed, by their error.",
            for: ContractError.Code.allCases
        ) { ["code": $0.rawValue] }
        scheduled = metrics.counters(
            "marquee_scheduled_requests_total",
            "Requests of the schedule that have ended, by their kind and outcome.",
            for: Outcome.all(of: Self.scheduledKinds, ContractError.Code.allCases.map(\.rawValue))
        ) { ["kind": $0.subject, "outcome": $0.outcome] }
        anomalies = metrics.counters(
            "marquee_anomalies_total",
            "Charts that were late, missing or implausible, and fields that cannot be read, each counted once.",
            for: Anomaly.Kind.allCases
        ) { ["kind": $0.rawValue] }
        durations = metrics.histogram(
            "marquee_request_duration_seconds",
            "Time from the acceptance of a request to its end, for requests accepted since the start.")
        calls = metrics.counters(
            "marquee_upstream_calls_total", "Calls to upstreams, retries included, by their outcome.",
            for: Outcome.all(of: Self.services, UpstreamError.Kind.allCases.map(\.rawValue))
        ) { ["service": $0.subject, "outcome": $0.outcome] }
        callDurations = metrics.histograms(
            "marquee_upstream_call_duration_seconds", "Duration of a call to an upstream.", for: Self.services
        ) { ["service": $0] }
    }

    /// Counts requests that are stored in the inbox, and starts their timing.
    func countAccepted(_ ids: [RequestID]) {
        accepted.add(ids.count)
        outstanding.withLock { outstanding in
            for id in ids { outstanding[id] = Stopwatch(clock) }
        }
    }

    func countRejected(_ failure: ContractError) {
        refused[failure.code]?.add()
    }

    func countDone(_ id: RequestID, from source: RequestDone.Source) {
        done[source]?.add()
        end(id, nil)
    }

    func countFailed(_ id: RequestID, _ failure: ContractError) {
        failed[failure.code]?.add()
        end(id, failure.code)
    }

    func countAnomaly(_ anomaly: Anomaly) {
        anomalies[anomaly.kind]?.add()
    }

    func countCall(_ service: String, _ failure: UpstreamError.Kind?, _ duration: Duration) {
        calls[Outcome(service, failure?.rawValue)]?.add()
        callDurations[service]?.observe(duration)
    }

    private func end(_ id: RequestID, _ failure: ContractError.Code?) {
        if let stopwatch = outstanding.withLock({ $0.removeValue(forKey: id) }) { durations.observe(stopwatch.elapsed) }
        guard id.description.hasPrefix(ScheduleService.prefix) else { return }
        let words = id.description.split(separator: ".", maxSplits: 2)
        guard words.count == 3 else { return }
        scheduled[Outcome(String(words[1]), failure?.rawValue)]?.add()
    }
}
