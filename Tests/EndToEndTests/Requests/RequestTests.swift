import Testing

extension WireProtocol {
    /// What holds for every request, however it comes in.
    struct RequestTests {
        @Test("both endpoints accept a request in any form; the answer has the form of the request")
        func forms() async throws {
            try await ProcessHarness.run { _, client in
                for form in Client.Form.allCases {
                    let id = "form-\(form.rawValue)"
                    let body = #"{"date":"2024-06-04","id":"\#(id)"}"#
                    if form == .publish {
                        try client.publish("fetch.day", body)
                    } else {
                        let answer = try await client.ask("fetch.day", body, as: form)
                        #expect(answer.word == "accepted" && answer.body == ["id": .text(id)])
                        #expect(answer.envelope == (form == .dealer ? [""] : []))
                    }
                    #expect(try await client.outcome(of: id).isDone)
                    let accepted = try await client.event("request.accepted.\(id)")
                    #expect(
                        accepted.data == ["topic": "fetch.day", "request": ["date": "2024-06-04", "id": .text(id)]])
                }
                for form in Client.Form.allCases.dropFirst() {
                    let status = try await client.ask("status", as: form)
                    #expect(status.word == "status" && status.envelope == (form == .dealer ? [""] : []))
                    #expect(status.body["quota"]["kobis"]["used"] == 1)
                }
            }
        }

        @Test("every envelope comes back unchanged: of any REQ or DEALER, and through proxies")
        func envelopes() async throws {
            try await ProcessHarness.run { harness, _ in
                let script = "\(ProcessHarness.checkout)/Tests/EndToEndTests/Requests/envelopes.py"
                let ending = try await Program.run(
                    ProcessHarness.python, [script], environment: harness.environment)
                #expect(ending.output == Array(repeating: "status refused", count: 30), "\(ending.errors)")
            }
        }

        @Test("bodies without fields, spaces in the topic, both date formats and filters are accepted")
        func leniency() async throws {
            try await ProcessHarness.run { _, client in
                let bodies: [(String, String, topic: String)] = [
                    ("fetch.day", "2024-06-04", "ranking.day.all.2024-06-04"),
                    ("fetch day", "20240604", "ranking.day.all.2024-06-04"),
                    ("fetch.day", " 2024-06-04\n", "ranking.day.all.2024-06-04"),
                    ("fetch.day", #"{"date":"2024-06-03","priority":"backfill"}"#, "ranking.day.all.2024-06-03"),
                    (
                        "fetch.day", #"{"date":"20240604","unknown":{"a":[1]},"nation":"F","films":"commercial"}"#,
                        "ranking.day.nation-F+films-commercial.2024-06-04"
                    ),
                    (
                        "fetch.day", #"{"date":"2024-06-04","area":"0105001","films":"diverse","nation":"K"}"#,
                        "ranking.day.nation-K+films-diverse+area-0105001.2024-06-04"
                    ),
                ]
                for (topic, body, answer) in bodies {
                    let receipt = try await client.ask(topic, body)
                    try #require(receipt.word == "accepted", "\(body): \(receipt.body)")
                    let id = try #require(receipt.body["id"].text)
                    #expect(try await client.outcome(of: id).events.map(\.topic) == [answer])
                }
            }
        }

        @Test("data in the log is served unchanged from there, unless a refresh is requested")
        func served() async throws {
            try await ProcessHarness.run { harness, client in
                let first = try await client.day("2024-06-04")
                let second = try await client.day("2024-06-04")
                #expect(first.end.data["from"] == "upstream" && second.end.data["from"] == "log")
                #expect(first.end.data["events"] == second.end.data["events"])
                #expect(try await harness.requests(for: ProcessHarness.dailyCharts) == 1)
                let third = try await client.day("2024-06-04", refresh: true)
                #expect(third.end.data["from"] == "upstream" && third.end.data["events"] == first.end.data["events"])
                #expect(try await harness.requests(for: ProcessHarness.dailyCharts) == 2)
                let charts = client.events("ranking.")
                #expect(charts.count == 3 && Set(charts.map(\.text)).count == 1)
            }
        }

        @Test("a request id is done once, and belongs to one request")
        func ids() async throws {
            try await ProcessHarness.run { _, client in
                let body = #"{"date":"2024-06-04","id":"once"}"#
                for _ in 1...3 {
                    #expect(try await client.ask("fetch.day", body).body == ["id": "once"])
                    try client.publish("fetch.day", body)
                    #expect(try await client.outcome(of: "once").isDone)
                }
                for (topic, other) in [
                    ("fetch.day", #"{"date":"2024-06-05","id":"once"}"#),
                    ("fetch.day", #"{"date":"never","id":"once"}"#),
                    ("fetch.movie", #"{"code":"20240001","id":"once"}"#),
                ] {
                    let answer = try await client.ask(topic, other)
                    #expect(answer.word == "refused")
                    #expect(answer.body["retryable"] == false)
                    if !other.contains("never") {
                        #expect(answer.body["code"] == "conflict" && answer.body["field"] == "id")
                    }
                    try client.publish(topic, other)
                }
                // One after the other: the second comes into a batch after all that was published before the first.
                for id in ["after", "later"] {
                    try client.publish("fetch.day", #"{"date":"2024-06-04","id":"\#(id)"}"#)
                    #expect(try await client.outcome(of: id).isDone)
                }
                #expect(
                    client.events("request.").map(\.topic) == [
                        "request.accepted.once", "request.done.once", "request.accepted.after", "request.done.after",
                        "request.accepted.later", "request.done.later",
                    ])
            }
        }
    }
}
