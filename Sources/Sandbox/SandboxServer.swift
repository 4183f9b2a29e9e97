public import FoundationEssentials
public import Text
public import WebServer

/// An HTTP server that simulates KOBIS, Kakao and the Open Market, for machines without keys and for tests.
///
/// It has the same paths, parameters, key checks, errors and quirks as the real services, and injects faults. It does
/// not have the calls that marquee never makes: XML, SOAP, people, companies and movie lists.
public final class SandboxServer: Sendable {
    private let server: HTTPServer

    /// The address on which the sandbox listens, with the actual port.
    public var address: String { server.address }

    /// The path prefix of the KOBIS calls.
    public static let kobisPath = KobisHandler.prefix

    /// The base URL of the KOBIS calls, for `MARQUEE_KOBIS_URL`.
    public var kobisURL: String { "http://\(address)\(KobisHandler.prefix)" }

    /// The base URL of the Kakao calls, for `MARQUEE_KAKAO_URL`.
    public var kakaoURL: String { "http://\(address)" }

    /// The base URL of the Open Market, for `MARQUEE_OPENMARKET_URL`.
    public var openMarketURL: String { "http://\(address)\(OpenMarketHandler.path)" }

    /// The path prefix of the Open Market's calls.
    public static let openMarketPath = OpenMarketHandler.path

    /// Listens and serves at once; `now` decides which days have charts and which figures are settled.
    public init(options: SandboxOptions, now: @escaping @Sendable () -> Date = { Date() }) throws(SandboxError) {
        let router = try SandboxRouter(options: options, now: now)
        do {
            var limits = HTTPServer.Limits()
            // A registration has up to five images of 300 KB each.
            limits.body = 2 << 20
            // Benchmarks have several hundred calls open at once, all from one address.
            (limits.connections, limits.connectionsPerAddress, limits.waitingConnections) = (1_024, 1_000, 768)
            server = try HTTPServer(
                address: options.address, limits: limits,
                hosts: HostPolicy(names: options.hosts, openPaths: ["/healthz"])
            ) { request in
                await router.respond(to: request)
            }
        } catch {
            throw .server(error)
        }
    }

    /// Shuts down: open requests have 250 ms to finish, then their connections are closed. May be called again.
    public func shutdown() async {
        await server.shutdown(grace: .milliseconds(250))
    }
}

/// The configuration of a sandbox.
public struct SandboxOptions: Hashable, Sendable {
    /// The IP address and port to listen on; port 0 lets the system choose.
    public var address = "127.0.0.1:8590"
    /// The names in `Host` to which the sandbox answers beside IP addresses and `localhost`.
    public var hosts: [String] = []
    /// The seed of the generated world.
    public var seed: UInt64 = 1
    /// A folder of recorded responses to serve instead of the generated world; nil serves the generated one.
    public var recordings: String?
    /// The only accepted KOBIS key; nil accepts every key of 32 hexadecimal digits.
    public var kobisKey: String?
    /// The faults that are set at the start.
    public var faults = Faults()

    /// A KOBIS key that a sandbox with a nil `kobisKey` accepts.
    public static let anyKobisKey = "5a4d5a4d5a4d5a4d5a4d5a4d5a4d5a4d"
    /// A Kakao key; the sandbox accepts every key.
    public static let anyKakaoKey = "5a4d5a4d5a4d5a4d5a4d5a4d5a4d5a4d"

    /// The identifier of the Open Market vendor whose products clients may change.
    public static let anyOpenMarketIdentifier = "5a4d5a4d-5a4d-4d5a-9d5a-4d5a4d5a4d5a"
    /// That vendor's secret.
    public static let anyOpenMarketSecret = "sandbox-secret"

    /// Makes the default configuration, without faults.
    public init() {}
}

/// An error of starting a sandbox or of setting its faults.
public enum SandboxError: BilingualError, Hashable {
    /// The HTTP server did not start.
    case server(HTTPServerError)
    /// The folder of recorded responses cannot be read or has no recordings.
    case noRecordings(path: String)
    /// A switch does not exist or has an invalid value; the message names it.
    case invalidSwitch(BilingualText)

    /// One line for the operator.
    public var text: BilingualText {
        switch self {
        case .server(let error): error.text
        case .noRecordings(let path):
            BilingualText(
                "'\(path)' 폴더에 저장된 응답이 없습니다. kobis/ 또는 kakao/ 폴더가 있는 곳을 지정하세요",
                "no recorded responses in '\(path)': expected files under kobis/ or kakao/")
        case .invalidSwitch(let message): message
        }
    }
}
