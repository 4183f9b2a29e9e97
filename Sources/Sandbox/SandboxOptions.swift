/// How a sandbox is set up.
public struct SandboxOptions: Hashable, Sendable {
    /// Where it listens: an IP address and a port, 0 for any.
    public var address = "127.0.0.1:8590"
    /// What the made-up world follows from.
    public var seed: UInt64 = 1
    /// The folder of recorded responses that are served instead of the made-up world; nil for the made-up one.
    public var recordings: String?
    /// The only KOBIS key that is accepted; nil for any of 32 hexadecimal digits.
    public var kobisKey: String?
    /// The only Kakao key that is accepted; nil for any.
    public var kakaoKey: String?
    /// Who the Open Market's one vendor is whose products clients may change.
    public var openMarketIdentifier = anyOpenMarketIdentifier
    /// That vendor's secret.
    public var openMarketSecret = anyOpenMarketSecret
    /// What is wrong from the start.
    public var faults = Faults()

    /// A KOBIS key that a sandbox without demands accepts, for those who have none.
    public static let anyKobisKey = "5a4d5a4d5a4d5a4d5a4d5a4d5a4d5a4d"
    /// A Kakao key that a sandbox without demands accepts, for those who have none.
    public static let anyKakaoKey = "5a4d5a4d5a4d5a4d5a4d5a4d5a4d5a4d"

    /// The Open Market's identifier, for those who have none.
    public static let anyOpenMarketIdentifier = "5a4d5a4d-5a4d-4d5a-9d5a-4d5a4d5a4d5a"
    /// The secret that goes with it.
    public static let anyOpenMarketSecret = "sandbox-secret"

    /// Makes the setup of a sandbox in which nothing is wrong.
    public init() {}
}
