import BoxOffice
import Concurrency
import Foundation
import TestSupport
import Testing

extension Failures {
    /// What a client is told when an upstream does not do what it should: contract, section 5.
    struct UpstreamFaultTests {
        /// The sandbox's switches, and the error that follows from them.
        private struct Fault {
            let switches: JSON
            let code: JSON
            var isRetryable = false
            var upstream: JSON = nil
            /// Which waits are right; nil for none.
            var retryAfter: ClosedRange<Double>?
        }

        private static let day = 1.0...86_400.0

        private static func answer(_ service: JSON, _ status: JSON, _ code: JSON = nil) -> JSON {
            ["service": service, "status": status, "code": code]
        }

        @Test("each fault of KOBIS fails the request with its own error")
        func kobis() async throws {
            let faults = [
                Fault(
                    switches: ["faults": ["320010": 1]], code: "unauthorized",
                    upstream: Self.answer("kobis", 200, "320010")),
                Fault(
                    switches: ["faults": ["320103": 1]], code: "upstreamInvalid",
                    upstream: Self.answer("kobis", 200, "320103")),
                Fault(
                    switches: ["faults": ["320999": 1]], code: "upstreamInvalid",
                    upstream: Self.answer("kobis", 200, "320999")),
                Fault(
                    switches: ["notice": 1], code: "maintenance", isRetryable: true, upstream: Self.answer("kobis", 200)
                ),
                Fault(
                    switches: ["errors": ["503": 1], "retryAfter": 60], code: "maintenance", isRetryable: true,
                    upstream: Self.answer("kobis", 503), retryAfter: 60...60),
                Fault(
                    switches: ["errors": ["500": 1]], code: "maintenance", isRetryable: true,
                    upstream: Self.answer("kobis", 500)),
                Fault(
                    switches: ["truncated": 1], code: "upstreamUnavailable", isRetryable: true,
                    upstream: Self.answer("kobis", nil)),
                Fault(
                    switches: ["giant": 1, "giantSize": 1_073_741_824], code: "upstreamInvalid",
                    upstream: Self.answer("kobis", nil)),
            ]
            try await ProcessHarness.run { harness, client in
                for fault in faults {
                    try await harness.setFaults(["kobis": fault.switches])
                    let outcome = try await client.day("2024-06-04")
                    #expect(!outcome.isDone)
                    expect(outcome.error, tells: fault)
                    #expect(outcome.end.data["request"]["date"] == "2024-06-04")
                }
                // Whatever went wrong, the process is well, and so are requests once the upstream is.
                try await harness.setFaults(["kobis": ["errors": ["503": 1], "times": 1]])
                #expect(try await client.day("2024-06-04").isDone)
                await harness.end(.sandbox)
                let outcome = try await client.day("2024-06-05")
                expect(
                    outcome.error,
                    tells: Fault(
                        switches: "nobody there", code: "upstreamUnavailable", isRetryable: true,
                        upstream: Self.answer("kobis", nil)))
            }
        }

        @Test("each fault of Kakao is a problem beside the movie's facts")
        func kakao() async throws {
            let faults = [
                Fault(
                    switches: ["faults": ["AccessDeniedError": 1]], code: "unauthorized",
                    upstream: Self.answer("kakao", 401, "AccessDeniedError")),
                Fault(
                    switches: ["faults": ["-401": 1]], code: "unauthorized", upstream: Self.answer("kakao", 401, "-401")
                ),
                Fault(
                    switches: ["faults": ["NotAuthorizedError": 1]], code: "forbidden",
                    upstream: Self.answer("kakao", 403, "NotAuthorizedError")),
                Fault(
                    switches: ["faults": ["-7": 1]], code: "maintenance", isRetryable: true,
                    upstream: Self.answer("kakao", 503, "-7")),
                Fault(
                    switches: ["notice": 1], code: "maintenance", isRetryable: true, upstream: Self.answer("kakao", 200)
                ),
                Fault(
                    switches: ["truncated": 1], code: "upstreamUnavailable", isRetryable: true,
                    upstream: Self.answer("kakao", nil)),
            ]
            try await ProcessHarness.run { harness, client in
                let chart = try await client.day("2024-06-04").events[0]
                let code = chart.data["entries"][0]["movieCode"]
                for fault in faults {
                    try await harness.setFaults(["kakao": fault.switches])
                    let outcome = try await client.request("fetch.movie", ["code": code])
                    #expect(outcome.isDone && outcome.events.count == 1)
                    #expect(outcome.end.data["problems"].list.count == 1)
                    expect(outcome.end.data["problems"][0], tells: fault)
                }
                try await harness.setFaults([:])
                #expect(try await client.request("fetch.movie", ["code": code]).events.count == 2)
            }
        }

        @Test(
            "a service with an exhausted quota is not called again that day, also after a restart",
            arguments: [
                ("kobis", ["faults": ["320011": 1]], 200, "320011"), ("kobis", ["quota": 0], 200, "320011"),
                ("kakao", ["faults": ["RequestThrottled": 1]], 429, "RequestThrottled"),
                ("kakao", ["faults": ["-10": 1]], 400, "-10"),
            ] as [(String, JSON, Double, String)])
        func closing(_ service: String, _ switches: JSON, _ status: Double, _ code: String) async throws {
            try await ProcessHarness.run { harness, client in
                let chart = try await client.day("2024-06-04").events[0]
                /// The error that a request meets which needs the service.
                func error() async throws -> JSON {
                    if service == "kobis" { return try await client.day("2024-06-05").error }
                    let outcome = try await client.request(
                        "fetch.movie", ["code": chart.data["entries"][0]["movieCode"], "refresh": true])
                    return outcome.end.data["problems"][0]
                }
                try await harness.setFaults([service: switches])
                let answer = Self.answer(.text(service), .number(status), .text(code))
                expect(
                    try await error(),
                    tells: Fault(
                        switches: switches, code: "quotaExhausted", isRetryable: true, upstream: answer,
                        retryAfter: Self.day))
                try await harness.setFaults([:])
                let used = try await client.ask("status").body["quota"][service]["used"]
                for isRestarted in [false, true] {
                    if isRestarted {
                        try await harness.restart(.worker, by: SIGKILL)
                        try await client.waitForHeartbeat(of: .worker)
                    }
                    expect(
                        try await error(),
                        tells: Fault(
                            switches: switches, code: "quotaExhausted", isRetryable: true,
                            upstream: Self.answer(.text(service), nil), retryAfter: Self.day))
                    let quota = try await client.ask("status").body["quota"][service]
                    #expect(quota["used"] == used && quota["left"] == 0)
                }
            }
        }

        @Test("the error of an invalid KOBIS response names the field or the status")
        func invalid() async throws {
            let chart = #"{"boxOfficeResult":{"dailyBoxOfficeList":[\#(Self.line),\#(Self.line)]}}"#
            let answers: [(status: Int, body: String, code: JSON, field: JSON)] = [
                (
                    200, chart.replacing(#""audiCnt":"7""#, with: #""audiCnt":"7x""#), "upstreamInvalid",
                    "dailyBoxOfficeList[0].audiCnt"
                ),
                (200, #"{"boxOfficeResult":{}}"#, "upstreamInvalid", "dailyBoxOfficeList"),
                (200, #"{"boxOfficeResult":{"dailyBoxOfficeList":[]}}"#, "notPublished", nil),
                (200, "{}", "upstreamInvalid", "boxOfficeResult"), (200, "", "upstreamInvalid", nil),
                (200, "not JSON", "upstreamInvalid", nil), (400, "{}", "upstreamInvalid", nil),
                (401, "{}", "unauthorized", nil), (403, "{}", "forbidden", nil),
                (404, "{}", "upstreamInvalid", "MARQUEE_KOBIS_URL"),
                (418, "", "upstreamInvalid", nil), (500, "{}", "upstreamUnavailable", nil),
                (302, "", "upstreamInvalid", "MARQUEE_KOBIS_URL"), (503, "{}", "maintenance", nil),
            ]
            let next = Locked(answers[0])
            let server = try ScriptedServer { exchange in
                let answer = next.withLock { $0 }
                exchange.answer(answer.body, status: answer.status, headers: ["Content-Type: application/json"])
            }
            try await ProcessHarness.run { harness, client in
                // A log belongs to one service.
                let other = try await harness.otherState().settings
                try await harness.restart(
                    .worker, by: SIGTERM, changes: other.merging(["MARQUEE_KOBIS_URL": server.url]) { $1 })
                try await client.waitForHeartbeat(of: .worker)
                for answer in answers {
                    next.withLock { $0 = answer }
                    let error = try await client.day("2024-06-04").error
                    #expect(error["code"] == answer.code && error["field"] == answer.field, "\(answer): \(error)")
                    #expect(error["upstream"]["status"] == .number(Double(answer.status)), "\(answer): \(error)")
                }
            }
        }

        @Test("a key that KOBIS rejects is unauthorized, and so is a missing key")
        func keys() async throws {
            let other = String(repeating: "ab", count: 16)
            try await ProcessHarness.run([.sandbox: ["--kobis-key", other]]) { _, client in
                let error = try await client.day("2024-06-04").error
                #expect(error["code"] == "unauthorized" && error["upstream"]["code"] == "320010")
            }
            try await ProcessHarness.run(settings: ["MARQUEE_KOBIS_KEY": ""]) { _, client in
                let error = try await client.day("2024-06-04").error
                #expect(error["code"] == "unauthorized" && error["retryable"] == false)
                #expect(error["upstream"] == Self.answer("kobis", nil))
            }
        }

        @Test("the configured limit of calls stops calls of one service only")
        func budget() async throws {
            try await ProcessHarness.run(settings: ["MARQUEE_KOBIS_DAILY_LIMIT": "2"]) { harness, client in
                for day in 1...2 { #expect(try await client.day("2024-06-0\(day)").isDone) }
                let error = try await client.day("2024-06-03").error
                expect(
                    error,
                    tells: Fault(
                        switches: "budget", code: "quotaExhausted", isRetryable: true,
                        upstream: Self.answer("kobis", nil), retryAfter: Self.day))
                #expect(try await client.day("2024-06-01").end.data["from"] == "log")
                #expect(try await client.ask("status").body["quota"]["kobis"]["left"] == 0)
            }
        }

        /// A line of a chart as KOBIS sends it.
        private static let line = """
            {"rnum":"1","rank":"1","rankInten":"0","rankOldAndNew":"OLD","movieCd":"20240001","movieNm":"영화",\
            "openDt":"2024-06-01","salesAmt":"1","salesShare":"1.0","salesInten":"1","salesChange":"1","salesAcc":"1",\
            "audiCnt":"7","audiInten":"1","audiChange":"1","audiAcc":"1","scrnCnt":"1","showCnt":"1"}
            """

        private func expect(_ error: JSON, tells fault: Fault) {
            #expect(error["code"] == fault.code, "\(fault.switches): \(error)")
            #expect(error["retryable"] == .boolean(fault.isRetryable), "\(fault.switches): \(error)")
            #expect(error["upstream"] == fault.upstream, "\(fault.switches): \(error)")
            #expect(error["message"].text?.isEmpty == false && error["field"] == nil, "\(fault.switches): \(error)")
            if let range = fault.retryAfter {
                #expect(error["retryAfter"].number.map(range.contains) == true, "\(fault.switches): \(error)")
            } else {
                #expect(error["retryAfter"] == nil, "\(fault.switches): \(error)")
            }
        }
    }
}
