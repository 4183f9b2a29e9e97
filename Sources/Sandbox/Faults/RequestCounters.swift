import BoxOffice
import FoundationEssentials
import JSONCoding

/// What a sandbox remembers of the requests it has had.
struct RequestCounters: Sendable {
    /// The parts of a sandbox that misbehave, and are counted, each by itself.
    enum Service: String, Sendable, CaseIterable {
        case kobis
        case kakao
        case images
        case openMarket = "openmarket"
    }

    private(set) var faults: Faults
    private let initial: Faults
    /// Requests by path, since the start or the last reset.
    private var requests: [String: Int] = [:]
    /// Requests by service since its faults were last set.
    private var numbers: [Service: Int] = [:]
    private var calls: [Service: (day: KoreanDate, count: Int)] = [:]

    /// More paths than this are counted as one: strangers choose them.
    private static let mostPaths = 1000

    init(faults: Faults) {
        self.faults = faults
        initial = faults
    }

    /// Counts a request.
    mutating func count(_ path: String) {
        let isNew = requests[path] == nil
        requests[isNew && requests.count >= Self.mostPaths ? "(others)" : path, default: 0] += 1
    }

    /// Numbers a request to a service and says how it is to be treated.
    mutating func next(_ service: Service) -> (delay: Int, mishap: FaultProfile.InjectedFault?) {
        numbers[service, default: 0] += 1
        let number = numbers[service] ?? 0
        let behaviour = faults[service]
        let dice = SeededRandom(seed: UInt64(bitPattern: Int64(faults.seed)))
            .branch(Service.allCases.firstIndex(of: service) ?? 0)
        return (behaviour.applies(to: number) ? behaviour.latency : 0, behaviour.mishap(of: number, dice: dice))
    }

    /// Books a call with a good key on a day in Korea; false if the day's quota is used up.
    mutating func book(_ service: Service, on day: KoreanDate) -> Bool {
        let used = calls[service].map { $0.day == day ? $0.count : 0 } ?? 0
        if let quota = faults[service].quota, used >= quota { return false }
        calls[service] = (day, used + 1)
        return true
    }

    /// Sets the faults; their requests are numbered anew.
    mutating func set(_ faults: Faults) {
        self.faults = faults
        numbers = [:]
    }

    /// Forgets everything and goes back to the faults of the start.
    mutating func reset() {
        self = RequestCounters(faults: initial)
    }

    /// The faults and the counters.
    var tree: JSONTree {
        .object([
            ("faults", faults.tree),
            ("requests", .object(requests.sorted { $0.key < $1.key }.map { ($0, .number($1)) })),
            (
                "calls",
                .object(
                    Service.allCases.compactMap { service in
                        calls[service].map { (service.rawValue, .number($0.count)) }
                    })
            ),
        ])
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
