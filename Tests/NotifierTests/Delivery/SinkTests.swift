import Contract
import Foundation
import JSONCoding
import Networking
import ServiceRuntime
import TestSupport
import Testing
import Text

@testable import Notifier

/// Sinks against their counterparts: services by their documented protocols, and real servers where there are some.
@Suite(.patience) struct SinkTests {
    private let clients = SinkClients()

    /// What a service says of a message that it took.
    private struct Taken: Decodable {
        let service: String
        let text: String
    }

    private func alert(_ text: String, id: String = "lead.AAAAAAAA.2024-06-04.all") throws -> OutboundAlert {
        let words = Alert.Text(ko: text, en: "English")
        let body = try JSON.encode(["id": id, "type": "marquee.alert.v1"])
        let data = try JSON.encode(["text": ["ko": words.ko, "en": words.en]])
        let event =
            String(decoding: body.dropLast(), as: UTF8.self) + ",\"data\":\(String(decoding: data, as: UTF8.self))}"
        return OutboundAlert(id: id, body: Array(event.utf8), data: Alert(words, severity: .major))
    }

    private func message(_ text: String = "〈파묘〉 & <웡카>를 제치고 1위") throws -> SinkMessage {
        let alert = try alert(text)
        return SinkMessage(key: alert.id, alerts: [alert])
    }

    private func digest(_ count: Int) throws -> SinkMessage {
        let alerts = try (1...count).map { try alert("〈영화 \($0)〉 10위로 신규 진입", id: "entered.\($0)") }
        return SinkMessage(key: "digest.editor.2026-11-21", alerts: alerts)
    }

    /// Sends a message to a sink with these keys in the rule file.
    private func send(_ message: SinkMessage, _ keys: String, at now: Date = Date()) async throws -> SinkResponse {
        try await ConfiguredSink(reading: keys).send(message, at: now, board: nil, by: clients)
    }

    private func taken(by services: Counterpart) async throws -> Taken {
        try JSONDecoder().decode(Taken.self, from: Data(try #require(await services.line()).utf8))
    }

    @Test(
        "a receiver that verifies signatures accepts an event and a digest, and rejects another key")
    func webhook() async throws {
        let receiver = try await Counterpart(
            "../../Examples/webhook.py", ["0"], environment: ["WEBHOOK_SECRET": "whsec_c2VjcmV0"])
        let hook = "kind: webhook, url: 'http://127.0.0.1:\(receiver.port)/T0p', secret"
        let sink = "\(hook): whsec_c2VjcmV0"
        // The receiver prints nothing that could be waited for, unless it accepts.
        try #require(await send(try message(), sink) == SinkResponse(outcome: .delivered, text: "204"))
        #expect(await receiver.line() == "lead.AAAAAAAA.2024-06-04.all 〈파묘〉 & <웡카>를 제치고 1위")
        try #require(await send(try digest(2), sink).outcome == .delivered)
        #expect(await receiver.line() == "entered.1 〈영화 1〉 10위로 신규 진입")
        let refusal = try await send(try message(), "\(hook): another")
        #expect(refusal.outcome == .rejected && refusal.text.hasPrefix("401 "))
        // What was recorded cannot be sent again later.
        #expect(try await send(try message(), sink, at: Date() - 3_600).outcome == .rejected)
        await clients.shutdown()
    }

    @Test("chat, push and Apprise sinks send messages in the sink's language")
    func services() async throws {
        let services = try await Counterpart("services.py")
        let url = "http://127.0.0.1:\(services.port)"
        let sinks = [
            ("slack", "kind: slack, url: '\(url)/services/T0/B0/token'"),
            ("discord", "kind: discord, url: '\(url)/api/webhooks/1/token'"),
            ("telegram", "kind: telegram, url: '\(url)', token: '12:token', chat: -1001"),
            ("ntfy", "kind: ntfy, url: '\(url)', topic: marquee, token: tk_token"),
            ("apprise", "kind: apprise, url: '\(url)/notify/marquee'"),
            ("apprise", "kind: apprise, url: '\(url)/notify', urls: 'json://127.0.0.1:\(services.port)/apprised'"),
        ]
        for (name, sink) in sinks {
            let response = try await send(try message("〈파묘〉 & 1위"), sink)
            #expect(response.outcome == .delivered, "\(name): \(response.text)")
            let taken = try await taken(by: services)
            let heading = name == "telegram" ? "1위 교체\n" : ""
            let text = name == "slack" ? "〈파묘〉 &amp; 1위" : "〈파묘〉 & 1위"
            #expect(taken.service == name && taken.text == heading + text)
            // However long the day was, it is one message that the service takes.
            let digested = try await send(try digest(300), sink)
            #expect(digested.outcome == .delivered, "\(name): \(digested.text)")
            #expect(try await self.taken(by: services).text.contains("〈영화 1〉"))
        }
        let name = "\u{D4E}<!channel>\u{301} \u{D4E}<https://evil.example/|x>\u{301} [y](https://evil.example/) @here"
        let escaped = [
            "slack":
                "\u{D4E}&lt;!channel&gt;\u{301} \u{D4E}&lt;https://evil.example/|x&gt;\u{301} "
                + "[y](https://evil.example/) @\u{2060}here",
            "discord":
                "\u{D4E}\\<!channel\\>\u{301} \u{D4E}\\<https://evil.example/\\|x\\>\u{301} "
                + "\\[y\\](https://evil.example/) @here",
            "telegram":
                "1위 교체\n\u{D4E}<!channel>\u{301} \u{D4E}<https://evil.example/|x>\u{301} [y](https://evil.example/) "
                + "@\u{2060}here",
        ]
        for (kind, sink) in sinks {
            guard let escaped = escaped[kind] else { continue }
            #expect(try await send(try message(name), sink).outcome == .delivered)
            #expect(try await Array(taken(by: services).text.utf8) == Array(escaped.utf8))
            // As many as fit, escaped: the counterparts refuse what is longer than the services take.
            let long = try await send(try message(String(repeating: "[@<", count: 20_000)), sink)
            #expect(long.outcome == .delivered)
            #expect(try await taken(by: services).text.hasSuffix("…"))
        }
        let english = try await send(try message(), "\(sinks[0].1), language: en")
        #expect(english == SinkResponse(outcome: .delivered, text: "200 ok"))
        #expect(try await taken(by: services).text == "English")
        await clients.shutdown()
    }

    @Test(
        "a chat that refuses a message in the body alone, or a web page in its place, did not take it",
        arguments: [
            (#"{"ok":false,"error":"channel_not_found"}"#, .rejected), (#"{"success":false}"#, .rejected),
            ("invalid_token", .rejected), ("<!DOCTYPE html><title>Sign in</title>", .rejected),
            ("ok", .delivered), (#"{"ok":true}"#, .delivered), ("", .delivered),
            (#"{"id":"1","content":"ok_then"}"#, .delivered), ("posted to general_channel", .delivered),
        ] as [(String, SinkResponse.Outcome)])
    func refusals(body: String, outcome: SinkResponse.Outcome) throws {
        func judged(_ keys: String) throws -> SinkResponse.Outcome? {
            let sink = try ConfiguredSink(reading: keys).target as? any HTTPSink
            return sink?.outcome(of: HTTPResponse(body: Data(body.utf8)))
        }
        #expect(try judged("kind: slack, url: 'http://a'") == outcome)
        #expect(try judged("kind: discord, url: 'http://a'") == outcome)
        #expect(try judged("kind: webhook, url: 'http://a', secret: b") == .delivered)
        // ntfy gives each message an id; a page of a proxy or of another server has none.
        #expect(try judged("kind: ntfy, topic: a") == (body.contains("id\":\"") ? .delivered : .rejected))
    }

    @Test(
        "responses are checked: rejections, rate limits, redirects and replies of unrelated servers do not count as delivered"
    )
    func answers() async throws {
        let services = try await Counterpart("services.py")
        let url = "http://127.0.0.1:\(services.port)"
        let cases: [(sink: String, text: String, outcome: SinkResponse.Outcome)] = [
            ("slack, url: '\(url)/services/gone'", "x", .rejected),
            ("slack, url: '\(url)/moved'", "x", .rejected),
            ("slack, url: '\(url)/page'", "x", .rejected),
            ("slack, url: '\(url)/proxy'", "x", .rejected),
            // Plain HTTP at an address with https stays wrong until somebody corrects it.
            ("slack, url: 'https://127.0.0.1:\(services.port)/T0p'", "x", .rejected),
            ("discord, url: '\(url)/api/webhooks/1/token'", "slow down", .failed(retryAfter: .seconds(7))),
            (
                "telegram, url: '\(url)', token: '12:token', chat: -1001", "slow down",
                .failed(retryAfter: .seconds(9))
            ),
            ("telegram, url: '\(url)', token: '12:token', chat: 5", "x", .rejected),
            ("telegram, url: '\(url)', token: '13:wrong', chat: 5", "x", .rejected),
            ("ntfy, url: '\(url)', topic: a, token: tk_wrong", "x", .rejected),
            // It has no configuration of that key: 204, and nobody was told.
            ("apprise, url: '\(url)/notify/none'", "x", .rejected),
            ("apprise, url: '\(url)/notify', urls: 'json://127.0.0.1:1'", "x", .failed()),
            ("slack, url: 'http://127.0.0.1:1/T0p'", "x", .failed()),
        ]
        for (keys, text, outcome) in cases {
            let sink = try ConfiguredSink(reading: "kind: \(keys)")
            let response = await sink.send(try message(text), at: Date(), board: nil, by: clients)
            #expect(response.outcome == outcome, "\(keys): \(response.text)")
            #expect(!sink.secrets.isEmpty && !sink.secrets.contains { response.text.contains($0.value) })
        }
        let moved = try await send(try message(), "kind: slack, url: '\(url)/moved'")
        #expect(moved.text.contains("redirects to \(url)/services/new: correct"), "\(moved.text)")
        await clients.shutdown()
    }

    @Test("the file has one complete line for each alert, even after a process was killed during a write")
    func file() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("alerts.jsonl")
        try Data("{\"id\":\"ha".utf8).write(to: URL(filePath: path))
        #expect(try await send(try message(), "kind: file, path: \(path)").outcome == .delivered)
        #expect(try await send(try digest(2), "kind: file, path: \(path)").outcome == .delivered)
        let lines = try String(contentsOf: URL(filePath: path), encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 4 && lines[0] == "{\"id\":\"ha")
        let ids = try lines.dropFirst().map { try JSON.decode([String: ID].self, from: Array($0.utf8))["id"] }
        #expect(ids.map { $0?.text } == ["lead.AAAAAAAA.2024-06-04.all", "entered.1", "entered.2"])
        #expect(try await send(try message(), "kind: file, path: \(folder.path)/none/x").outcome == .failed())
        await clients.shutdown()
    }

    /// A value of which only texts matter.
    private struct ID: Decodable {
        let text: String?

        init(from decoder: any Decoder) throws {
            text = try? decoder.singleValueContainer().decode(String.self)
        }
    }
}

struct SinkMessageTests {
    @Test(
        "a long digest is truncated between lines and states the number of omitted alerts", arguments: [60, 100, 400])
    func cut(limit: Int) {
        let alerts = (1...20).map { number in
            OutboundAlert(
                id: "\(number)", body: [],
                data: Alert(Alert.Text(ko: "〈영화 \(number)〉 1위", en: "Movie \(number) leads")))
        }
        let text = SinkMessage(key: "digest", alerts: alerts).text(limit: limit)
        #expect(text.utf16.count <= limit)
        let lines = text.split(separator: "\n")
        #expect(lines.first == "박스오피스 알림 20건")
        let shown = lines.count { $0.hasPrefix("· ") }
        #expect(shown == 20 || lines.last == "외 \(20 - shown)건")
    }

    @Test("an encoded word has at most 75 characters and never splits a character of the text")
    func words() {
        let lines = MailMessage.words(String(repeating: "가나다라마바사😀", count: 9)).split(separator: "\r\n ")
        #expect(lines.count > 1 && lines.allSatisfy { $0.utf8.count <= 75 })
        for line in lines {
            let code = line.dropFirst("=?utf-8?B?".count).dropLast(2)
            #expect(Data(base64Encoded: String(code)).flatMap { String(data: $0, encoding: .utf8) } != nil)
        }
        #expect(MailMessage.words("plain words") == "plain words")
    }
}
