import Testing

@testable import Worker

@Suite(.timeLimit(.minutes(5))) struct UpstreamBindingTests {
    @Test(
        "a service is identified by its host alone",
        arguments: [
            ("https://www.kobis.or.kr/kobisopenapi/webservice/rest", "kobis.or.kr"),
            ("https://WWW.Kobis.or.kr", "kobis.or.kr"), ("http://kobis.or.kr:443/x", "kobis.or.kr"),
            ("http://127.0.0.1:8590/rest", "127.0.0.1"), ("http://[::1]:8590/rest", "[::1]"),
            ("http://[::1]", "[::1]"), ("http://[fd00::2]/x", "[fd00::2]"), ("http://sandbox?a=b:c", "sandbox"),
        ])
    func host(_ url: String, _ host: String) {
        #expect(UpstreamBinding.host(of: url) == host)
    }

    @Test("a log is bound to the first service, and opens for no other")
    func bind() async throws {
        let harness = try await WorkerHarness()
        try await UpstreamBinding.bind(harness.database, to: "http://[::1]:8590/rest")
        try await UpstreamBinding.bind(harness.database, to: "http://[::1]:9999/rest")
        let error = try await #require(throws: UpstreamBinding.UpstreamBindingError.self) {
            try await UpstreamBinding.bind(harness.database, to: "http://[::2]:8590/rest")
        }
        #expect("\(error)".contains("MARQUEE_DATA"))
    }
}
