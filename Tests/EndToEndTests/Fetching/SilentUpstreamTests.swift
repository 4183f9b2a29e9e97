import TestSupport
import Testing

/// An upstream that takes questions and says nothing; a suite of its own, because it takes as long as we wait for it.
@Suite(.patience) struct SilentUpstreamTests {
    @Test("an upstream that never answers is a timeout, and delays no other request")
    func hang() async throws {
        try await ProcessHarness.run { harness, client in
            try await harness.setFaults(["kakao": ["hang": 1]])
            let chart = try await client.day("2024-06-04").events[0]
            let code = chart.data["entries"][0]["movieCode"]
            async let movie = client.request("fetch.movie", ["code": code])
            #expect(try await client.day("2024-06-05").isDone)
            let problem = try await movie.end.data["problems"][0]
            #expect(problem["code"] == "upstreamTimeout" && problem["retryable"] == true)
            #expect(problem["upstream"] == ["service": "kakao", "status": nil, "code": nil])
        }
    }
}
