/// Everything that is wrong with the sandbox at a time.
///
/// A switch has one name wherever it is set, by a flag or over HTTP: `seed`, `clockOffset`, or a service and what is
/// wrong with it, such as `kobis.latency`, `kakao.errors.503`, `kobis.faults.320011`, `images.dead`.
public struct Faults: Hashable, Sendable {
    /// What decides which requests a rate hits.
    public var seed = 1
    /// How far the sandbox's clock is ahead of the real one, in seconds; negative for behind.
    public var clockOffset = 0
    /// The Korean Film Council's service.
    public var kobis = FaultProfile()
    /// Kakao's image search.
    public var kakao = FaultProfile()
    /// The pictures that searches lead to.
    public var images = FaultProfile()
    /// The Open Market, its pictures too.
    public var openMarket = FaultProfile()

    /// Makes a sandbox in which nothing is wrong.
    public init() {}

    /// Sets a switch as `name=value`.
    public mutating func set(_ assignment: String) throws(SandboxError) {
        let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let value = Double(parts[1]) else {
            throw .invalidSwitch("'\(assignment)' is no switch and number such as kobis.errors.503=0.2")
        }
        try set(String(parts[0]), to: value)
    }

    /// Sets the switch called `name`.
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
        default: throw .invalidSwitch("there is no switch '\(name)'")
        }
    }

    private static func set(
        _ word: String, of service: inout FaultProfile, _ name: String, to value: Double
    ) throws(SandboxError) {
        let words = word.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (words[0], words.count) {
        case ("latency", 1): service.latency = try whole(value, name, in: 0...3_600_000)
        case ("retryAfter", 1): service.retryAfter = try whole(value, name, in: 0...1_000_000)
        case ("notice", 1): service.notice = try rate(value, name)
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
                throw .invalidSwitch("'\(name)' needs a status from 400 to 599")
            }
            service.errors[status] = try rate(value, name)
        default: throw .invalidSwitch("there is no switch '\(name)'")
        }
    }

    private static func rate(_ value: Double, _ name: String) throws(SandboxError) -> Double {
        guard (0...1).contains(value) else { throw .invalidSwitch("'\(name)' is a rate from 0 to 1, not \(value)") }
        return value
    }

    private static func whole(
        _ value: Double, _ name: String, in range: ClosedRange<Int>
    ) throws(SandboxError) -> Int {
        guard let number = Int(exactly: value), range.contains(number) else {
            throw .invalidSwitch("'\(name)' is a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
