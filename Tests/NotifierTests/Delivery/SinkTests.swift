import Contract
import Foundation
import JSONCoding
import Networking
import TestSupport
import Testing
import Text

@testable import Notifier

/// Sinks against their counterparts: services by their documented protocols, and real servers where there are some.
@Suite(.patience) struct SinkTests {
    private let client = HTTPClient(retry: RetryPolicy(attempts: 1, attemptTimeout: .seconds(3_600)))
    private let now = Date()

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
        return OutboundAlert(
            id: id, body: Array(event.utf8), rule: "lead", subject: "lead/AAAAAAAA", severity: .major, text: words,
            retracts: nil)
    }

    private func letter(_ text: String = "〈파묘〉 & <웡카>를 제치고 1위") throws -> SinkMessage {
        let alert = try alert(text)
        return SinkMessage(key: alert.id, alerts: [alert])
    }

    private func digest(_ count: Int) throws -> SinkMessage {
        let alerts = try (1...count).map { try alert("〈영화 \($0)〉 10위로 신규 진입", id: "entered.\($0)") }
        return SinkMessage(key: "digest.editor.2026-11-21", alerts: alerts)
    }

    private func taken(by services: Counterpart) async throws -> Taken {
        try JSONDecoder().decode(Taken.self, from: Data(try #require(await services.line()).utf8))
    }

    @Test(
        "a receiver that verifies signatures accepts an event and a digest, and rejects another key")
    func webhook() async throws {
        let receiver = try await Counterpart(
            "../../Examples/webhook.py", ["0"], environment: ["WEBHOOK_SECRET": "whsec_c2VjcmV0"])
        let url = "http://127.0.0.1:\(receiver.port)/T0p"
        let key = try #require(WebhookSink.key(of: "whsec_c2VjcmV0"))
        let sink = WebhookSink(client: client, url: url, key: key)
        // The receiver prints nothing that could be waited for, unless it accepts.
        try #require(await sink.send(try letter(), at: now) == SinkResponse(outcome: .delivered, text: "204"))
        #expect(await receiver.line() == "lead.AAAAAAAA.2024-06-04.all 〈파묘〉 & <웡카>를 제치고 1위")
        try #require(await sink.send(try digest(2), at: now).outcome == .delivered)
        #expect(await receiver.line() == "entered.1 〈영화 1〉 10위로 신규 진입")
        let stranger = WebhookSink(client: client, url: url, key: Array("another".utf8))
        let refusal = await stranger.send(try letter(), at: now)
        #expect(refusal.outcome == .rejected && refusal.text.hasPrefix("401 "))
        // What was recorded cannot be sent again later.
        #expect(await sink.send(try letter(), at: now - 3_600).outcome == .rejected)
        await client.shutdown()
    }

    @Test("chat, push and Apprise sinks send messages in the sink's language")
    func services() async throws {
        let services = try await Counterpart("services.py")
        let url = "http://127.0.0.1:\(services.port)"
        let sinks: [(name: String, sink: any Sink)] = [
            ("slack", SlackSink(client: client, url: "\(url)/services/T0/B0/token", language: .ko)),
            ("discord", DiscordSink(client: client, url: "\(url)/api/webhooks/1/token", language: .ko)),
            ("telegram", TelegramSink(client: client, url: url, token: "12:token", chat: "-1001", language: .ko)),
            ("ntfy", NtfySink(client: client, url: url, topic: "marquee", token: "tk_token", language: .ko)),
            ("apprise", AppriseSink(client: client, url: "\(url)/notify/marquee", urls: nil, tag: nil, language: .ko)),
            (
                "apprise",
                AppriseSink(
                    client: client, url: "\(url)/notify", urls: "json://127.0.0.1:\(services.port)/apprised", tag: nil,
                    language: .ko)
            ),
        ]
        for (name, sink) in sinks {
            let answer = await sink.send(try letter("〈파묘〉 & 1위"), at: now)
            #expect(answer.outcome == .delivered, "\(name): \(answer.text)")
            let taken = try await taken(by: services)
            let heading = name == "telegram" ? "1위 교체\n" : ""
            let text = name == "slack" ? "〈파묘〉 &amp; 1위" : "〈파묘〉 & 1위"
            #expect(taken.service == name && taken.text == heading + text)
            // However long the day was, it is one message that the service takes.
            let digested = await sink.send(try digest(300), at: now)
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
            #expect(await sink.send(try letter(name), at: now).outcome == .delivered)
            #expect(try await Array(taken(by: services).text.utf8) == Array(escaped.utf8))
            // As many as fit, escaped: the counterparts refuse what is longer than the services take.
            #expect(await sink.send(try letter(String(repeating: "[@<", count: 20_000)), at: now).outcome == .delivered)
            #expect(try await taken(by: services).text.hasSuffix("…"))
        }
        let english = SlackSink(client: client, url: "\(url)/services/T0/B0/token", language: .en)
        #expect(await english.send(try letter(), at: now) == SinkResponse(outcome: .delivered, text: "200 ok"))
        #expect(try await taken(by: services).text == "English")
        await client.shutdown()
    }

    @Test(
        "a chat that refuses a message in the body alone did not take it",
        arguments: [
            (#"{"ok":false,"error":"channel_not_found"}"#, .rejected), (#"{"success":false}"#, .rejected),
            ("invalid_token", .rejected), ("ok", .delivered), (#"{"ok":true}"#, .delivered), ("", .delivered),
            (#"{"id":"1","content":"ok_then"}"#, .delivered), ("posted to general_channel", .delivered),
        ] as [(String, SinkResponse.Outcome)])
    func refusals(body: String, outcome: SinkResponse.Outcome) {
        let response = HTTPResponse(body: Data(body.utf8))
        #expect(SlackSink(client: client, url: "http://a", language: .ko).outcome(of: response) == outcome)
        #expect(DiscordSink(client: client, url: "http://a", language: .ko).outcome(of: response) == outcome)
        let program = WebhookSink(client: client, url: "http://a", key: [1])
        #expect(program.outcome(of: response) == .delivered)
    }

    @Test(
        "responses are checked: rejections, rate limits, redirects and replies of unrelated servers do not count as delivered"
    )
    func answers() async throws {
        let services = try await Counterpart("services.py")
        let url = "http://127.0.0.1:\(services.port)"
        let cases: [(sink: any Sink, text: String, outcome: SinkResponse.Outcome)] = [
            (SlackSink(client: client, url: "\(url)/services/gone", language: .ko), "x", .rejected),
            (SlackSink(client: client, url: "\(url)/moved", language: .ko), "x", .rejected),
            (SlackSink(client: client, url: "\(url)/page", language: .ko), "x", .rejected),
            (SlackSink(client: client, url: "\(url)/proxy", language: .ko), "x", .rejected),
            // Plain HTTP at an address with https stays wrong until somebody corrects it.
            (SlackSink(client: client, url: "https://127.0.0.1:\(services.port)/T0p", language: .ko), "x", .rejected),
            (
                DiscordSink(client: client, url: "\(url)/api/webhooks/1/token", language: .ko), "slow down",
                .failed(retryAfter: .milliseconds(7_500))
            ),
            (
                TelegramSink(client: client, url: url, token: "12:token", chat: "-1001", language: .ko), "slow down",
                .failed(retryAfter: .seconds(9))
            ),
            (TelegramSink(client: client, url: url, token: "12:token", chat: "5", language: .ko), "x", .rejected),
            (TelegramSink(client: client, url: url, token: "13:wrong", chat: "5", language: .ko), "x", .rejected),
            (NtfySink(client: client, url: url, topic: "a", token: "tk_wrong", language: .ko), "x", .rejected),
            (
                NtfySink(client: client, url: "\(url)/services/T0/B0/token", topic: "a", token: nil, language: .ko),
                "x", .rejected
            ),
            // It has no configuration of that key: 204, and nobody was told.
            (
                AppriseSink(client: client, url: "\(url)/notify/none", urls: nil, tag: nil, language: .ko), "x",
                .rejected
            ),
            (
                AppriseSink(client: client, url: "\(url)/notify", urls: "json://127.0.0.1:1", tag: nil, language: .ko),
                "x",
                .failed()
            ),
            (SlackSink(client: client, url: "http://127.0.0.1:1/T0p", language: .ko), "x", .failed()),
        ]
        for (sink, text, outcome) in cases {
            let answer = await sink.send(try letter(text), at: now)
            #expect(answer.outcome == outcome, "\(sink): \(answer.text)")
            let shown = answer.sanitized(removing: sink.secrets).text
            #expect(!sink.secrets.contains { shown.contains($0) }, "\(shown)")
        }
        let moved = await SlackSink(client: client, url: "\(url)/moved", language: .ko).send(try letter(), at: now)
        #expect(moved.text.contains("redirects to \(url)/services/new: correct"), "\(moved.text)")
        await client.shutdown()
    }

    @Test("the file has one complete line for each alert, even after a process was killed during a write")
    func file() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("alerts.jsonl")
        try Data("{\"id\":\"ha".utf8).write(to: URL(filePath: path))
        let sink = FileSink(path: path)
        #expect(await sink.send(try letter(), at: now).outcome == .delivered)
        #expect(await sink.send(try digest(2), at: now).outcome == .delivered)
        let lines = try String(contentsOf: URL(filePath: path), encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 4 && lines[0] == "{\"id\":\"ha")
        let ids = try lines.dropFirst().map { try JSON.decode([String: ID].self, from: Array($0.utf8))["id"] }
        #expect(ids.map { $0?.text } == ["lead.AAAAAAAA.2024-06-04.all", "entered.1", "entered.2"])
        #expect(await FileSink(path: folder.path + "/none/x").send(try letter(), at: now).outcome == .failed())
        await client.shutdown()
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
                id: "\(number)", body: [], rule: "lead", subject: "lead", severity: .info,
                text: .init(ko: "〈영화 \(number)〉 1위", en: "Movie \(number) leads"), retracts: nil)
        }
        let text = SinkMessage(key: "digest", alerts: alerts).text(in: .ko, limit: limit)
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
