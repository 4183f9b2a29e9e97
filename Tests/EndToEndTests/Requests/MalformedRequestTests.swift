import BoxOffice
import Foundation
import TestSupport
import Testing

extension WireProtocol {
    /// Requests that are none, by contract, section 2.
    struct MalformedRequestTests {
        /// What is sent, and the code and field of its refusal.
        private struct Mistake {
            let topic: String
            let body: String
            var code = "badRequest"
            let field: String
        }

        private static let today = KoreanDate(at: FixedClock.now)

        private static let mistakes: [Mistake] =
            [
                "", "{}", "tomorrow", "2024-13-01", "2024-02-30", "24-06-04", "2024-6-4", "2024-06-04.x", "[1]", "\"\"",
                #"{"date":"2024-06-04.all"}"#, #"{"date":""}"#, #"{"date":20240604}"#, #"{"date":null}"#, "２０２４０６０４",
            ].map { Mistake(topic: "fetch.day", body: $0, field: "date") }
            + ["2003-11-10", "19990101", "2099-12-31", "\(today)"].map {
                Mistake(topic: "fetch.day", body: $0, code: "dateOutOfRange", field: "date")
            }
            + [
                (#"{"date":"2024-06-04""#, "body"), (#"{date}"#, "body"),
                (#"{"date":"2024-06-04","nation":"k"}"#, "nation"), (#"{"date":"2024-06-04","nation":1}"#, "nation"),
                (#"{"date":"2024-06-04","films":"all"}"#, "films"),
                (#"{"date":"2024-06-04","area":"seoul"}"#, "area"), (#"{"date":"2024-06-04","area":"010500"}"#, "area"),
                (#"{"date":"2024-06-04","priority":"urgent"}"#, "priority"),
                (#"{"date":"2024-06-04","refresh":"yes"}"#, "refresh"),
                (#"{"date":"2024-06-04","id":""}"#, "id"), (#"{"date":"2024-06-04","id":"a b"}"#, "id"),
                (#"{"date":"2024-06-04","id":"a\nb"}"#, "id"), (#"{"date":"2024-06-04","id":"가"}"#, "id"),
                (#"{"date":"2024-06-04","id":7}"#, "id"),
                (#"{"date":"2024-06-04","id":"\#(String(repeating: "x", count: 129))"}"#, "id"),
            ].map { Mistake(topic: "fetch.day", body: $0.0, field: $0.1) }
            + [
                ("", "code"), ("{}", "code"), ("2023467", "code"), ("202346755", "code"), ("2023467a", "code"),
                ("2023/675", "code"), (#"{"code":20234675}"#, "code"),
                (#"{"code":"20234675","poster":"no"}"#, "poster"),
            ].map { Mistake(topic: "fetch.movie", body: $0.0, field: $0.1) }

        @Test("the ROUTER endpoint rejects each with a reason and no other effect")
        func refused() async throws {
            try await ProcessHarness.run { _, client in
                for mistake in Self.mistakes {
                    let answer = try await client.ask(mistake.topic, mistake.body)
                    expect(answer.body, tells: mistake)
                    #expect(answer.word == "refused", "\(mistake)")
                }
                for name in ["", "fetch.weather", "fetch.day.", "Status", "한"] {
                    let answer = try await client.ask(name, "{}")
                    #expect(answer.word == "refused" && answer.body["code"] == "badRequest")
                    #expect(answer.body["field"] == "command")
                }
                #expect(try await client.day("2024-06-04").isDone)
                #expect(client.events("request.").map(\.sequence) == [1, 2].map(Client.sequence))
            }
        }

        @Test("the SUB endpoint ends each as a failed request")
        func failed() async throws {
            try await ProcessHarness.run { _, client in
                for (index, mistake) in Self.mistakes.enumerated() {
                    try client.publish(mistake.topic, mistake.body)
                    let sequence = JSON.text(Client.sequence(index + 1))
                    let end = try await client.event {
                        $0.body["stream"] == "request" && $0.body["sequence"] == sequence
                    }
                    #expect(end.topic.hasPrefix("request.failed."), "\(mistake)")
                    #expect(end.data["topic"] == .text(mistake.topic))
                    expect(end.data["error"], tells: mistake)
                }
                try client.publish("fetch.day", #"{"date":"never","id":"mine"}"#)
                let failed = try await client.outcome(of: "mine")
                #expect(failed.end.data["request"] == ["date": "never", "id": "mine"])
                #expect(failed.end.body["correlationid"] == "mine")
            }
        }

        /// Messages that are no requests at all.
        private static let rubbish: [[[UInt8]]] = [
            ["fetch.day", "{}", "{}"].map { Array($0.utf8) },
            ["fetch.day", String(repeating: " ", count: 65_537)].map { Array($0.utf8) },
            ["fetch.day", #"{"date":"2024-06-04","id":"big","pad":"\#(String(repeating: "x", count: 65_536))"}"#]
                .map { Array($0.utf8) },
            [Array("fetch.day".utf8), [0x22, 0xC0, 0xAF, 0x22]],
            [[0xFF, 0xFE], Array("{}".utf8)],
            ["fetch.weather", "2024-06-04"].map { Array($0.utf8) },
            ["fetch.day.", "2024-06-04"].map { Array($0.utf8) },
            ["", ""].map { Array($0.utf8) },
        ]

        @Test("ROUTER rejects a message that is not a request, and SUB ignores it")
        func rubbish() async throws {
            try await ProcessHarness.run { harness, client in
                for message in Self.rubbish {
                    let answer = try await client.ask(frames: message)
                    #expect(answer.word == "refused" && answer.body["code"] == "badRequest", "\(message.map(\.count))")
                    try client.publish(frames: message)
                }
                // One after the other: the second comes into a batch after all that was published before the first.
                for id in ["after", "later"] {
                    try client.publish("fetch.day", #"{"date":"2024-06-04","id":"\#(id)"}"#)
                    #expect(try await client.outcome(of: id).isDone)
                }
                #expect(
                    client.events("request.").map(\.topic) == [
                        "request.accepted.after", "request.done.after", "request.accepted.later", "request.done.later",
                    ])
                let refusals = try harness[.worker].written.errors.filter { $0.contains("request refused") }
                // Of what comes within a second one line is written.
                #expect((1...Self.rubbish.count).contains(refusals.count))
            }
        }

        @Test("a body of 64 KiB is accepted; a frame of 17 MiB closes the connection of its sender")
        func sizes() async throws {
            try await ProcessHarness.run(settings: ProcessHarness.tcp) { _, client in
                let head = #"{"date":"2024-06-04","id":"big","pad":""#
                let body = head + String(repeating: "x", count: 65_536 - head.utf8.count - 2) + #""}"#
                #expect(try await client.ask("fetch.day", body).word == "accepted")
                #expect(try await client.outcome(of: "big").isDone)
                try client.publish("fetch.day", String(repeating: " ", count: 17 << 20))
                try await client.subscribed(times: 2)
                try client.publish("fetch.day", #"{"date":"2024-06-04","id":"small"}"#)
                #expect(try await client.outcome(of: "small").isDone)
            }
        }

        private func expect(_ error: JSON, tells mistake: Mistake) {
            #expect(error["code"] == .text(mistake.code), "\(mistake): \(error)")
            #expect(error["field"] == .text(mistake.field), "\(mistake): \(error)")
            #expect(error["retryable"] == false && error["retryAfter"] == nil && error["upstream"] == nil)
            #expect(error["message"].text?.isEmpty == false)
        }
    }
}
