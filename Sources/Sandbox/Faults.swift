import BoxOffice
import FoundationEssentials
import JSONCoding
import Text

/// The services of the sandbox, which have separate faults and counters; the raw value begins the names of its switches.
enum SimulatedService: String, Sendable, CaseIterable {
    case kobis
    case kakao
    case images
    /// The Open Market, including its images.
    case openMarket = "openmarket"

    fileprivate var missing: Set<String> {
        switch self {
        case .kobis, .kakao: ["dead"]
        case .images: ["quota", "faults"]
        case .openMarket: ["quota", "dead"]
        }
    }
}

/// The faults that the sandbox injects.
///
/// A switch has the same name as a flag and over HTTP: `seed`, `clockOffset`, or a service and a fault, such as
/// `kobis.latency`, `kakao.errors.503`, `kobis.faults.320011`, `images.dead`.
public struct Faults: Hashable, Sendable {
    /// The values of the switches that are set, by name.
    private var values: [String: Double] = [:]

    /// The seed that decides which requests a rate affects.
    var seed: Int { values["seed"].map { Int($0) } ?? 1 }
    /// The offset of the sandbox's clock from the real one, in seconds; negative is behind.
    var clockOffset: Int { values["clockOffset"].map { Int($0) } ?? 0 }

    /// Makes the faults of a sandbox without any fault.
    public init() {}

    subscript(service: SimulatedService) -> FaultProfile {
        let prefix = "\(service.rawValue)."
        let own = values.filter { $0.key.hasPrefix(prefix) }.map { (String($0.key.dropFirst(prefix.count)), $0.value) }
        return FaultProfile(values: Dictionary(uniqueKeysWithValues: own))
    }

    /// Sets a switch from `name=value`; throws if it does not exist or the value is out of its range.
    public mutating func set(_ assignment: String) throws(SandboxError) {
        let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let value = Double(parts[1]) else {
            throw .invalidSwitch(
                BilingualText(
                    "'\(assignment)': 오류 이름과 숫자를 지정하세요. 예: kobis.errors.503=0.2",
                    "'\(assignment)' is not a switch and a number, such as kobis.errors.503=0.2"))
        }
        try set(String(parts[0]), to: value)
    }

    private mutating func set(_ name: String, to value: Double) throws(SandboxError) {
        if let range = try Self.range(of: name) {
            guard let number = Int(exactly: value), range.contains(number) else {
                throw .invalidSwitch(
                    BilingualText(
                        "'\(name)': 값은 \(range.lowerBound)~\(range.upperBound)의 정수여야 합니다(\(value))",
                        "'\(name)' must be a whole number from \(range.lowerBound) to \(range.upperBound), not \(value)"
                    ))
            }
        } else if !(0...1).contains(value) {
            throw .invalidSwitch(
                BilingualText(
                    "'\(name)': 값은 0~1의 비율이어야 합니다(\(value))", "'\(name)' must be a rate from 0 to 1, not \(value)"))
        }
        values[name] = value
    }

    /// Returns the values of a switch with a whole number; nil for a rate.
    private static func range(of name: String) throws(SandboxError) -> ClosedRange<Int>? {
        if name == "seed" { return Int.min...Int.max }
        if name == "clockOffset" { return -4_000_000_000...4_000_000_000 }
        let words = name.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        if words.count > 1, SimulatedService(rawValue: words[0])?.missing.contains(words[1]) == false {
            if words.count == 2, let key = FaultProfile.Switch(rawValue: words[1]) { return key.range }
            if words.count == 3, words[1] == "faults" { return nil }
            if words.count == 3, words[1] == "errors" {
                if Int(words[2]).map((400...599).contains) == true { return nil }
                throw .invalidSwitch(
                    BilingualText("'\(name)': 상태 코드는 400~599여야 합니다", "'\(name)' must name a status from 400 to 599"))
            }
        }
        throw .invalidSwitch(BilingualText("주입할 수 없는 오류입니다: '\(name)'", "there is no switch '\(name)'"))
    }
}

/// The faults of one of the sandbox's services.
///
/// Rates are probabilities from 0 to 1. The seed and the number of a request decide which faults it gets, so that a run
/// can be repeated.
struct FaultProfile: Hashable, Sendable {
    enum Switch: String {
        /// The delay of every response, in milliseconds.
        case latency
        /// The `Retry-After` header of responses with only a status, in seconds.
        case retryAfter
        /// The rate of HTML maintenance pages with status 200.
        case notice
        /// The rate of bodies that end in the middle, where the connection closes.
        case truncated
        case hang
        /// The rate of bodies of `giantSize` bytes.
        case giant
        /// The announced size of a giant body, in bytes; the connection closes after 64 MiB.
        case giantSize
        case dead
        /// The number of calls with a valid key in a Korean day.
        case quota
        /// The number of requests after which all faults but the quota end.
        case times

        /// The values of a whole number; nil for a rate.
        fileprivate var range: ClosedRange<Int>? {
            switch self {
            case .latency: 0...3_600_000
            case .retryAfter: 0...1_000_000
            case .giantSize: 1_024...(1 << 40)
            case .quota, .times: 0...(1 << 53)
            case .notice, .truncated, .hang, .giant, .dead: nil
            }
        }
    }

    enum InjectedFault: Hashable, Sendable {
        case hang, giant, notice, truncated, dead
        case status(Int)
        case serviceError(String)
    }

    /// The values by the names of the switches without the service's.
    let values: [String: Double]

    func number(_ key: Switch) -> Int? { values[key.rawValue].map { Int($0) } }

    /// Whether faults apply to the request with this number, from 1.
    func applies(to number: Int) -> Bool {
        self.number(.times).map { number <= $0 } ?? true
    }

    /// Returns the fault of the request with this number, from 1: the most severe if several apply.
    func injectedFault(for number: Int, random: SeededRandom) -> InjectedFault? {
        guard applies(to: number) else { return nil }
        var random = random.branch(number)
        // One random number per switch, set or not: setting one switch does not change which requests the others affect.
        let rates: [(Switch, InjectedFault)] = [
            (.hang, .hang), (.giant, .giant), (.notice, .notice), (.truncated, .truncated), (.dead, .dead),
        ]
        for (key, fault) in rates where random.chance(values[key.rawValue] ?? 0) { return fault }
        if let status = pick("errors.", random.unit()).flatMap({ Int($0) }) { return .status(status) }
        // The service's own errors, by code (`320011`, `-10`) or error type (`RequestThrottled`).
        return pick("faults.", random.unit()).map(InjectedFault.serviceError)
    }

    /// Returns the switch of a group whose part of the interval from 0 to 1 contains `point`; nil if none does.
    private func pick(_ group: String, _ point: Double) -> String? {
        var sum = 0.0
        for (name, rate) in values.sorted(by: { $0.key < $1.key }) where name.hasPrefix(group) {
            sum += rate
            if point < sum { return String(name.dropFirst(group.count)) }
        }
        return nil
    }
}

// MARK: - JSON

extension Faults {
    /// Sets the switches in a JSON object: `{"kobis":{"latency":200,"errors":{"503":0.2}}}`.
    mutating func set(json body: [UInt8]) throws(SandboxError) {
        // Whatever is wrong with the body, the answer is the same.
        guard case .group(let group)? = try? JSONDecoder().decode(Setting.self, from: Data(body)) else {
            throw .invalidSwitch(
                BilingualText("본문은 오류와 숫자의 JSON 객체여야 합니다", "the body must be a JSON object of switches and numbers"))
        }
        try set(group, under: "")
    }

    private mutating func set(_ group: [String: Setting], under prefix: String) throws(SandboxError) {
        for (name, setting) in group.sorted(by: { $0.key < $1.key }) {
            switch setting {
            case .number(let number): try set(prefix + name, to: number)
            case .group(let group): try set(group, under: "\(prefix)\(name).")
            }
        }
    }

    private enum Setting: Decodable {
        case number(Double)
        case group([String: Setting])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Double.self) {  // not a number: it must be a group
                self = .number(number)
            } else {
                self = .group(try container.decode([String: Setting].self))
            }
        }
    }

    /// The switches that are set, by name; `set(json:)` reads them.
    var object: OrderedObject {
        OrderedObject(
            values.sorted { $0.key < $1.key }.map { ($0, Int(exactly: $1).map { $0 as any JSONWritable } ?? $1) })
    }
}

// MARK: - Counters

/// The faults in force and the counters of requests.
struct RequestCounters: Sendable {
    private(set) var faults: Faults
    private let initial: Faults
    private var requests: [String: Int] = [:]
    private var numbers: [SimulatedService: Int] = [:]
    private var calls: [SimulatedService: (day: KoreanDate, count: Int)] = [:]

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
    mutating func nextFault(for service: SimulatedService) -> (delay: Int, fault: FaultProfile.InjectedFault?) {
        let number = numbers[service, default: 0] + 1
        numbers[service] = number
        let profile = faults[service]
        let random = SeededRandom(seed: UInt64(bitPattern: Int64(faults.seed)))
            .branch(SimulatedService.allCases.firstIndex(of: service) ?? 0)
        return (
            profile.applies(to: number) ? profile.number(.latency) ?? 0 : 0,
            profile.injectedFault(for: number, random: random)
        )
    }

    /// Counts a call with a valid key on a day in Korea. Returns false if the quota of the day is exhausted.
    mutating func consumeQuota(of service: SimulatedService, on day: KoreanDate) -> Bool {
        let used = calls[service].map { $0.day == day ? $0.count : 0 } ?? 0
        if let quota = faults[service].number(.quota), used >= quota { return false }
        calls[service] = (day, used + 1)
        return true
    }

    mutating func set(_ faults: Faults) {
        self.faults = faults
        numbers = [:]
    }

    mutating func reset() {
        self = RequestCounters(faults: initial)
    }

    var json: [UInt8] {
        let calls = SimulatedService.allCases.compactMap { service in
            self.calls[service].map { (service.rawValue, $0.count) }
        }
        let object: OrderedObject = [
            "faults": faults.object, "requests": OrderedObject(requests.sorted { $0.key < $1.key }.map { ($0, $1) }),
            "calls": OrderedObject(calls.map { ($0, $1) }),
        ]
        return object.json
    }
}
