import Operations
import Sandbox

extension Configuration {
    /// The same, but with the sandbox in the place of all upstreams if there is no KOBIS key.
    func withSandbox() -> Configuration {
        guard kobis.key == nil else { return self }
        var configuration = self
        configuration.kobis.url = "\(sandboxHTTP.url)\(SandboxServer.kobisPath)"
        configuration.kobis.key = Secret(SandboxOptions.anyKobisKey)
        configuration.kakao.url = sandboxHTTP.url
        configuration.kakao.key = Secret(SandboxOptions.anyKakaoKey)
        if openMarket.url == nil {
            configuration.openMarket.url = "\(sandboxHTTP.url)\(SandboxServer.openMarketPath)"
            configuration.openMarket.generation = .v3
            configuration.openMarket.identifier = Secret(SandboxOptions.anyOpenMarketIdentifier)
            configuration.openMarket.secret = Secret(SandboxOptions.anyOpenMarketSecret)
        }
        configuration.allowsPrivateImages = true
        return configuration
    }
}
