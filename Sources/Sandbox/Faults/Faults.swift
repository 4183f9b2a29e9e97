import FoundationEssentials
import JSONCoding
import Text

/// The faults that the sandbox injects.
///
/// A switch has the same name as a flag and over HTTP: `seed`, `clockOffset`, or a service and a fault, such as `kobis.latency`, `kakao.errors.503`, `kobis.faults.320011`, `images.dead`.
public struct Faults: Hashable, Sendable {
    /// The seed that decides which requests a rate affects.
    public var seed = 1
    /// The offset of the sandbox's clock from the real one, in seconds; negative is behind.
    public var clockOffset = 0
    /// The Korean Film Council's service.
    public var kobis = FaultProfile()
    /// Kakao's image search.
    public var kakao = FaultProfile()
    /// The images that the image search refers to.
    public var images = FaultProfile()
    /// The Open Market, including its images.
    public var openMarket = FaultProfile()

    /// Makes the faults of a sandbox without any fault.
    public init() {}

    /// Sets a switch from `name=value`.
    ///
    /// - Throws: `SandboxError.invalidSwitch` if the switch does not exist or the value is out of its range.
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

    /// Sets the switch called `name`.
    ///
    /// - Throws: `SandboxError.invalidSwitch` if the switch does not exist or the value is out of its range.
    public mutating func set(_ name: String, to value: Double) throws(SandboxError) {
        let words = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (words[0], words.count) {
        case ("seed", 1): seed = try Self.whole(value, name, in: Int.min...Int.max)
        case ("clockOffset", 1): clockOffset = try Self.whole(value, name, in: -4_000_000_000...4_000_000_000)
        case ("kobis", 2) where words[1] != "dead": try Self.set(words[1], of: &kobis, name, to: value)
        case ("kakao", 2) where words[1] != "dead": try Self.set(words[1], of: &kakao, name, to: value)
        case ("images", 2) where words[1] != "quota" && !words[1].hasPrefix("faults."):
            try Self.set(words[1], of: &images, name, to: value)
        case ("openmarket", 2) where words[1] != "quota" && words[1] != "dead":
            try Self.set(words[1], of: &openMarket, name, to: value)
        default: throw .unknown(name)
        }
    }

    private static func set(
        _ word: String, of service: inout FaultProfile, _ name: String, to value: Double
    ) throws(SandboxError) {
        let words = word.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (words[0], words.count) {
        case ("latency", 1): service.latency = try whole(value, name, in: 0...3_600_000)
        case ("retryAfter", 1): service.retryAfter = try whole(value, name, in: 0...1_000_000)
        case ("notice", 1): service.maintenancePage = try rate(value, name)
        case ("truncated", 1): service.truncated = try rate(value, name)
        case ("hang", 1): service.hang = try rate(value, name)
        case ("giant", 1): service.giant = try rate(value, name)
        case ("giantSize", 1): service.giantSize = try whole(value, name, in: 1_024...(1 << 40))
        case ("dead", 1): service.dead = try rate(value, name)
        case ("quota", 1): service.quota = try whole(value, name, in: 0...Int.max)
        case ("times", 1): service.times = try whole(value, name, in: 0...Int.max)
        case ("faults", 2): service.faults[words[1]] = try rate(value, name)
        case ("errors", 2):
            guard let status = Int(words[1]), (400...599).contains(status) else {
                throw .invalidSwitch(
                    BilingualText(
                        "'\(name)': 상태 코드는 400~599여야 합니다", "'\(name)' must name a status from 400 to 599"))
            }
            service.errors[status] = try rate(value, name)
        default: throw .unknown(name)
        }
    }

    private static func rate(_ value: Double, _ name: String) throws(SandboxError) -> Double {
        guard (0...1).contains(value) else {
            throw .invalidSwitch(
                BilingualText(
                    "'\(name)': 값은 0~1의 비율이어야 합니다(\(value))", "'\(name)' must be a rate from 0 to 1, not \(value)"))
        }
        return value
    }

    private static func whole(
        _ value: Double, _ name: String, in range: ClosedRange<Int>
    ) throws(SandboxError) -> Int {
        guard let number = Int(exactly: value), range.contains(number) else {
            throw .invalidSwitch(
                BilingualText(
                    "'\(name)': 값은 \(range.lowerBound)~\(range.upperBound)의 정수여야 합니다(\(value))",
                    "'\(name)' must be a whole number from \(range.lowerBound) to \(range.upperBound), not \(value)"))
        }
        return number
    }
}

extension SandboxError {
    fileprivate static func unknown(_ name: String) -> SandboxError {
        .invalidSwitch(BilingualText("주입할 수 없는 오류입니다: '\(name)'", "there is no switch '\(name)'"))
    }
}

/// The faults of one of the sandbox's services.
///
/// Rates are probabilities from 0 to 1. The seed and the number of a request decide which faults it gets, so that a run
/// can be repeated.
public struct FaultProfile: Hashable, Sendable {
    /// The delay of every response, in milliseconds.
    public var latency = 0
    /// The rates of responses with only an HTTP status, by status.
    public var errors: [Int: Double] = [:]
    /// The `Retry-After` header of these responses, in seconds; nil omits it.
    public var retryAfter: Int?
    /// The rates of the service's own errors, by code (`320011`, `-10`) or error type (`RequestThrottled`).
    public var faults: [String: Double] = [:]
    /// The rate of HTML maintenance pages with status 200; the switch `notice`.
    public var maintenancePage = 0.0
    /// The rate of bodies that end in the middle, where the connection closes.
    public var truncated = 0.0
    /// The rate of requests that get no response.
    public var hang = 0.0
    /// The rate of bodies of `giantSize` bytes.
    public var giant = 0.0
    /// The announced size of a giant body, in bytes; the connection closes after 64 MiB.
    public var giantSize = 64 << 20
    /// The rate of images with status 404; for the images only.
    public var dead = 0.0
    /// The number of calls with a valid key in a Korean day; nil for no limit.
    public var quota: Int?
    /// The number of requests after which all faults but the quota end; nil for never.
    public var times: Int?
}

extension FaultProfile {
    /// A fault that replaces the normal response to a request.
    enum InjectedFault: Hashable, Sendable {
        case hang
        case giant
        case status(Int)
        case maintenancePage
        case truncated
        case serviceError(String)
        case dead
    }

    /// Whether faults apply to the request with this number, from 1.
    func applies(to number: Int) -> Bool {
        times.map { number <= $0 } ?? true
    }

    /// Returns the fault of the request with this number, from 1: the most severe if several apply.
    func injectedFault(for number: Int, random: SeededRandom) -> InjectedFault? {
        guard applies(to: number) else { return nil }
        var random = random.branch(number)
        // One random number per switch, set or not: setting one switch does not change which requests the others affect.
        if random.chance(hang) { return .hang }
        if random.chance(giant) { return .giant }
        if random.chance(maintenancePage) { return .maintenancePage }
        if random.chance(truncated) { return .truncated }
        if random.chance(dead) { return .dead }
        if let status = Self.pick(errors.sorted { $0.key < $1.key }, random.unit()) { return .status(status) }
        return Self.pick(faults.sorted { $0.key < $1.key }, random.unit()).map(InjectedFault.serviceError)
    }

    /// Returns the choice whose part of the interval from 0 to 1 contains `point`; nil if none does.
    ///
    /// If the rates add up to more than 1, the last ones never apply.
    private static func pick<Choice>(_ rates: [(key: Choice, value: Double)], _ point: Double) -> Choice? {
        var sum = 0.0
        for (choice, rate) in rates {
            sum += rate
            if point < sum { return choice }
        }
        return nil
    }
}

// MARK: - JSON

extension Faults {
    /// Sets the switches in a JSON object: `{"kobis":{"latency":200,"errors":{"503":0.2}}}`.
    mutating func set(json body: [UInt8]) throws(SandboxError) {
        let setting: Setting
        do {
            setting = try JSONDecoder().decode(Setting.self, from: Data(body))
        } catch {
            throw .noObject
        }
        guard case .group(let group) = setting else {
            throw .noObject
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

    /// The switches that are set, in the format that `set(json:)` reads.
    var tree: JSONTree {
        .object([
            ("seed", .number(seed)), ("clockOffset", .number(clockOffset)), ("kobis", kobis.tree),
            ("kakao", kakao.tree), ("images", images.tree), ("openmarket", openMarket.tree),
        ])
    }
}

extension SandboxError {
    fileprivate static let noObject = SandboxError.invalidSwitch(
        BilingualText("본문은 오류와 숫자의 JSON 객체여야 합니다", "the body must be a JSON object of switches and numbers"))
}

extension FaultProfile {
    fileprivate var tree: JSONTree {
        var fields: [(String, JSONTree)] = []
        func add(_ name: String, _ value: JSONTree, if isOn: Bool) {
            if isOn { fields.append((name, value)) }
        }
        add("latency", .number(latency), if: latency > 0)
        add("errors", Self.tree(errors.map { (String($0), $1) }), if: !errors.isEmpty)
        add("retryAfter", .number(retryAfter ?? 0), if: retryAfter != nil)
        add("faults", Self.tree(faults.map { ($0, $1) }), if: !faults.isEmpty)
        add("notice", .real(maintenancePage), if: maintenancePage > 0)
        add("truncated", .real(truncated), if: truncated > 0)
        add("hang", .real(hang), if: hang > 0)
        add("giant", .real(giant), if: giant > 0)
        add("giantSize", .number(giantSize), if: giant > 0)
        add("dead", .real(dead), if: dead > 0)
        add("quota", .number(quota ?? 0), if: quota != nil)
        add("times", .number(times ?? 0), if: times != nil)
        return .object(fields)
    }

    private static func tree(_ rates: [(String, Double)]) -> JSONTree {
        .object(rates.sorted { $0.0 < $1.0 }.map { ($0, .real($1)) })
    }
}
