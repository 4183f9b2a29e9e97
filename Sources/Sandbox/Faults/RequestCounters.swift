import BoxOffice
import JSONCoding

/// The faults in force and the counters of requests.
struct RequestCounters: Sendable {
    /// The services, which have separate faults and counters.
    enum Service: String, Sendable, CaseIterable {
        case kobis
        case kakao
        case images
        case openMarket = "openmarket"
    }

    private(set) var faults: Faults
    private let initial: Faults
    /// The number of requests by path, since the start or the last reset.
    private var requests: [String: Int] = [:]
    /// The number of requests by service since the faults were last set.
    private var numbers: [Service: Int] = [:]
    private var calls: [Service: (day: KoreanDate, count: Int)] = [:]

    /// The limit of counted paths, because clients choose them; all others count as `(others)`.
    private static let maximumPaths = 1000

    init(faults: Faults) {
        self.faults = faults
        initial = faults
    }

    mutating func count(_ path: String) {
        let isNew = requests[path] == nil
        requests[isNew && requests.count >= Self.maximumPaths ? "(others)" : path, default: 0] += 1
    }

    /// Numbers a request to a service and returns its delay in milliseconds and its fault.
    mutating func nextFault(for service: Service) -> (delay: Int, fault: FaultProfile.InjectedFault?) {
        numbers[service, default: 0] += 1
        let number = numbers[service] ?? 0
        let faultProfile = faults[service]
        let random = SeededRandom(seed: UInt64(bitPattern: Int64(faults.seed)))
            .branch(Service.allCases.firstIndex(of: service) ?? 0)
        return (
            faultProfile.applies(to: number) ? faultProfile.latency : 0,
            faultProfile.injectedFault(for: number, random: random)
        )
    }

    /// Counts a call with a valid key on a day in Korea. Returns false if the quota of the day is exhausted.
    mutating func consumeQuota(of service: Service, on day: KoreanDate) -> Bool {
        let used = calls[service].map { $0.day == day ? $0.count : 0 } ?? 0
        if let quota = faults[service].quota, used >= quota { return false }
        calls[service] = (day, used + 1)
        return true
    }

    /// Sets the faults and restarts the numbering of requests.
    mutating func set(_ faults: Faults) {
        self.faults = faults
        numbers = [:]
    }

    /// Clears the counters and restores the faults of the start.
    mutating func reset() {
        self = RequestCounters(faults: initial)
    }

    var tree: JSONTree {
        let requests = requests.sorted { $0.key < $1.key }.map { ($0, JSONTree.number($1)) }
        let calls = Service.allCases.compactMap { service in
            self.calls[service].map { (service.rawValue, JSONTree.number($0.count)) }
        }
        return .object([("faults", faults.tree), ("requests", .object(requests)), ("calls", .object(calls))])
    }
}

extension Faults {
    subscript(service: RequestCounters.Service) -> FaultProfile {
        switch service {
        case .kobis: kobis
        case .kakao: kakao
        case .images: images
        case .openMarket: openMarket
        }
    }
}
