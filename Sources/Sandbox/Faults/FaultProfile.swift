/// How one of the sandbox's services fails to do what it should.
///
/// Rates are probabilities from 0 to 1. Which requests they hit follows from the seed and the request's number, so that
/// a run can be repeated.
public struct FaultProfile: Hashable, Sendable {
    /// How long every answer is held back, in milliseconds.
    public var latency = 0
    /// Rates of answers that are nothing but an HTTP status.
    public var errors: [Int: Double] = [:]
    /// What `Retry-After` says on such answers, in seconds; nil for no such field.
    public var retryAfter: Int?
    /// Rates of the service's own refusals, by its code (`320011`, `-10`) or error type (`RequestThrottled`).
    public var faults: [String: Double] = [:]
    /// The rate of HTML notices with status 200.
    public var notice = 0.0
    /// The rate of bodies that end in the middle, connection and all.
    public var truncated = 0.0
    /// The rate of requests that are never answered.
    public var hang = 0.0
    /// The rate of bodies that go on for `giantSize` bytes.
    public var giant = 0.0
    /// How large a giant body says it is, in bytes; after 64 MiB its connection ends.
    public var giantSize = 64 << 20
    /// The rate of pictures that are not there; for the pictures only.
    public var dead = 0.0
    /// How many calls with a good key a Korean day has; nil for no limit.
    public var quota: Int?
    /// After how many requests everything but the quota is well again; nil for never.
    public var times: Int?

    /// Makes a service that behaves.
    public init() {}
}

extension FaultProfile {
    /// What is done to a request instead of answering it well.
    enum InjectedFault: Hashable, Sendable {
        case hang
        case giant
        case status(Int)
        case notice
        case truncated
        case fault(String)
        case dead
    }

    /// Whether the request with this number, from 1, is one that is misbehaved to.
    func applies(to number: Int) -> Bool {
        times.map { number <= $0 } ?? true
    }

    /// What befalls the request with this number: the first of its mishaps in the order of the switches' gravity.
    func mishap(of number: Int, dice: SeededRandom) -> InjectedFault? {
        guard applies(to: number) else { return nil }
        var dice = dice.branch(number)
        // One throw per switch, whether it is on or not: turning one on leaves the others' victims as they were.
        if dice.chance(hang) { return .hang }
        if dice.chance(giant) { return .giant }
        if dice.chance(notice) { return .notice }
        if dice.chance(truncated) { return .truncated }
        if dice.chance(dead) { return .dead }
        if let status = Self.pick(errors.sorted { $0.key < $1.key }, dice.unit()) { return .status(status) }
        return Self.pick(faults.sorted { $0.key < $1.key }, dice.unit()).map(InjectedFault.fault)
    }

    /// The choice whose stretch of the line from 0 to 1 holds `throw`; rates that add up to more than 1 crowd out the
    /// last.
    private static func pick<Choice>(_ rates: [(key: Choice, value: Double)], _ throw: Double) -> Choice? {
        var sum = 0.0
        for (choice, rate) in rates {
            sum += rate
            if `throw` < sum { return choice }
        }
        return nil
    }
}
