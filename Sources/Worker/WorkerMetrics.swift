import BoxOffice
import Concurrency
import Contract
import Networking
import ServiceRuntime
import Upstreams

/// The counters and histograms of the worker.
struct WorkerMetrics: Sendable {
    private struct Call: Hashable {
        let service: String
        let failure: UpstreamError.Kind?

        static let services = [Kobis.service, KakaoImageSearch.service, PosterSearch.service]
        static let all = services.flatMap { service in
            ([nil] + UpstreamError.Kind.allCases).map { Call(service: service, failure: $0) }
        }
    }

    /// A kind of scheduled request and how it ended: done, or with which error.
    private struct Scheduled: Hashable {
        let kind: String
        let failure: ContractError.Code?

        static let all = (["day"] + Week.Span.allCases.map(\.rawValue) + ["movie"]).flatMap { kind in
            ([nil] + ContractError.Code.allCases).map { Scheduled(kind: kind, failure: $0) }
        }

        /// Parses the id of a scheduled request; nil for any other.
        init?(_ id: RequestID, _ failure: ContractError.Code?) {
            guard id.description.hasPrefix(ScheduleService.prefix) else { return nil }
            let words = id.description.dropFirst(ScheduleService.prefix.count).split(separator: ".", maxSplits: 1)
            guard words.count == 2 else { return nil }
            self.init(kind: String(words[0]), failure: failure)
        }

        init(kind: String, failure: ContractError.Code?) {
            self.kind = kind
            self.failure = failure
        }
    }

    private let accepted: Counter
    private let refused: [ContractError.Code: Counter]
    private let done: [RequestDone.Source: Counter]
    private let failed: [ContractError.Code: Counter]
    private let scheduled: [Scheduled: Counter]
    private let anomalies: [Anomaly.Kind: Counter]
    private let durations: Histogram
    private let calls: [Call: Counter]
    private let callDurations: [String: Histogram]
    /// The time since their acceptance of the requests that have not ended; the inbox bounds their number.
    private let outstanding = Locked<[RequestID: Stopwatch]>([:])
    private let clock: any Clock<Duration>

    /// Adds the worker's metrics to those of the process.
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
            for: Scheduled.all
        ) { ["kind": $0.kind, "outcome": $0.failure?.rawValue ?? "ok"] }
        anomalies = metrics.counters(
            "marquee_anomalies_total",
            "Charts that were late, missing or implausible, and fields that cannot be read, each counted once.",
            for: Anomaly.Kind.allCases
        ) { ["kind": $0.rawValue] }
        durations = metrics.histogram(
            "marquee_request_duration_seconds",
            "Time from the acceptance of a request to its end, for requests accepted since the start.")
        calls = metrics.counters(
            "marquee_upstream_calls_total", "Calls to upstreams, retries included, by their outcome.", for: Call.all
        ) { ["service": $0.service, "outcome": $0.failure?.rawValue ?? "ok"] }
        callDurations = metrics.histograms(
            "marquee_upstream_call_duration_seconds", "Duration of a call to an upstream.", for: Call.services
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
        end(id)
        if let request = Scheduled(id, nil) { scheduled[request]?.add() }
    }

    func countFailed(_ id: RequestID, _ failure: ContractError) {
        failed[failure.code]?.add()
        end(id)
        if let request = Scheduled(id, failure.code) { scheduled[request]?.add() }
    }

    func countAnomaly(_ anomaly: Anomaly) {
        anomalies[anomaly.kind]?.add()
    }

    func countCall(_ service: String, _ failure: UpstreamError.Kind?, _ duration: Duration) {
        calls[Call(service: service, failure: failure)]?.add()
        callDurations[service]?.observe(duration)
    }

    private func end(_ id: RequestID) {
        if let stopwatch = outstanding.withLock({ $0.removeValue(forKey: id) }) { durations.observe(stopwatch.elapsed) }
    }
}
