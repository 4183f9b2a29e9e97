import BoxOffice
import Concurrency
import Contract
import Networking
import Operations
import Upstreams

/// What the worker counts as it goes.
struct WorkerMetrics: Sendable {
    private struct Call: Hashable {
        let service: String
        let failure: UpstreamError.Kind?

        static let services = [Kobis.service, KakaoImageSearch.service, PosterFinder.service]
        static let all = services.flatMap { service in
            ([nil] + UpstreamError.Kind.allCases).map { Call(service: service, failure: $0) }
        }
    }

    /// What the schedule asks for, and how it ended: done, or by which error.
    private struct Scheduled: Hashable {
        let kind: String
        let failure: ContractError.Code?

        static let all = (["day"] + Week.Span.allCases.map(\.rawValue) + ["movie"]).flatMap { kind in
            ([nil] + ContractError.Code.allCases).map { Scheduled(kind: kind, failure: $0) }
        }

        /// Reads the id of a request of the schedule's; nil for any other.
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
    /// Since when the requests that have not ended yet are accepted; as many as the inbox lets wait.
    private let underWay = Locked<[RequestID: Stopwatch]>([:])
    private let clock: any Clock<Duration>

    /// Adds the worker's figures to the process's.
    init(_ metrics: Metrics, clock: any Clock<Duration>) {
        self.clock = clock
        accepted = metrics.counter("marquee_requests_accepted_total", "Requests taken into the inbox.")
        refused = metrics.counters(
            "marquee_requests_refused_total", "Requests not taken into the inbox, by the error that their sender got.",
            for: ContractError.Code.allCases
        ) { ["code": $0.rawValue] }
        done = metrics.counters(
            "marquee_requests_done_total", "Requests answered by events, from the log or an upstream.",
            for: RequestDone.Source.allCases
        ) { ["from": $0.rawValue] }
        failed = metrics.counters(
            "marquee_requests_failed_total", "Accepted requests that ended without an answer, by their error.",
            for: ContractError.Code.allCases
        ) { ["code": $0.rawValue] }
        scheduled = metrics.counters(
            "marquee_scheduled_requests_total",
            "Requests of the schedule that have ended, by what they were for and how.",
            for: Scheduled.all
        ) { ["kind": $0.kind, "outcome": $0.failure?.rawValue ?? "ok"] }
        anomalies = metrics.counters(
            "marquee_anomalies_total", "Charts that were late, missing or hard to believe, each told once.",
            for: Anomaly.Kind.allCases
        ) { ["kind": $0.rawValue] }
        durations = metrics.histogram(
            "marquee_request_duration_seconds",
            "From the acceptance of a request to its end, of those accepted since the start.")
        calls = metrics.counters(
            "marquee_upstream_calls_total", "Calls to upstreams, repeated ones too, by how they ended.", for: Call.all
        ) { ["service": $0.service, "outcome": $0.failure?.rawValue ?? "ok"] }
        callDurations = metrics.histograms(
            "marquee_upstream_call_duration_seconds", "How long a call to an upstream took.", for: Call.services
        ) { ["service": $0] }
    }

    /// Requests are in the inbox.
    func accept(_ ids: [RequestID]) {
        accepted.add(ids.count)
        underWay.withLock { underWay in
            for id in ids { underWay[id] = Stopwatch(clock) }
        }
    }

    /// A request was refused.
    func refuse(because failure: ContractError) {
        refused[failure.code]?.add()
    }

    /// A request is done.
    func finish(_ id: RequestID, from source: RequestDone.Source) {
        done[source]?.add()
        end(id)
        if let request = Scheduled(id, nil) { scheduled[request]?.add() }
    }

    /// A request has failed for good.
    func finish(_ id: RequestID, because failure: ContractError) {
        failed[failure.code]?.add()
        end(id)
        if let request = Scheduled(id, failure.code) { scheduled[request]?.add() }
    }

    /// An anomaly was told.
    func find(_ anomaly: Anomaly) {
        anomalies[anomaly.kind]?.add()
    }

    /// An upstream was called.
    func call(_ service: String, _ failure: UpstreamError.Kind?, _ duration: Duration) {
        calls[Call(service: service, failure: failure)]?.add()
        callDurations[service]?.observe(duration)
    }

    private func end(_ id: RequestID) {
        if let stopwatch = underWay.withLock({ $0.removeValue(forKey: id) }) { durations.observe(stopwatch.elapsed) }
    }
}
