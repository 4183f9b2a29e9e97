import TestSupport
import Testing
import Text

@testable import Worker

@Suite(.patience) struct UpstreamBindingTests {
    @Test(
        "a service is identified by its host and port",
        arguments: [
            ("https://www.kobis.or.kr/kobisopenapi/webservice/rest", "kobis.or.kr:443"),
            ("https://WWW.Kobis.or.kr", "kobis.or.kr:443"), ("http://kobis.or.kr:80/x", "kobis.or.kr:443"),
            ("http://127.0.0.1:8590/rest", "127.0.0.1:8590"), ("http://[::1]:8590/rest", "[::1]:8590"),
            ("http://[::1]", "[::1]:443"), ("http://[fd00::2]/x", "[fd00::2]:443"),
            ("http://sandbox?a=b:c", "sandbox:443"),
        ])
    func service(_ url: String, _ service: String) {
        #expect(UpstreamBinding.service(at: url) == service)
    }

    @Test("a log is bound to the first service, and opens for no other")
    func bind() async throws {
        let harness = try await WorkerHarness()
        try await UpstreamBinding.bind(harness.database, to: "http://[::1]:8590/rest")
        try await UpstreamBinding.bind(harness.database, to: "http://[::1]:8590/other")
        for url in ["http://[::2]:8590/rest", "http://[::1]:9999/rest"] {
            let error = try await #require(throws: UpstreamBinding.UpstreamBindingError.self) {
                try await UpstreamBinding.bind(harness.database, to: url)
            }
            #expect("\(error)".contains("MARQUEE_DATA"))
            #expect(error.text(in: .ko).hasSuffix("섞이지 않게 MARQUEE_DATA(또는 MARQUEE_DATABASE)를 바꾸세요"))
        }
    }
}
