import BoxOffice
import Contract
import Foundation
import JSONCoding
import Networking
import TestSupport
import Testing
import Text

@testable import Notifier

/// Link, title and poster of messages, in the form of each service, against servers that refuse what the services refuse.
@Suite(.patience) struct SinkFormTests {
    private let clients = SinkClients()
    private let now = Date()
    private let services: Counterpart
    private var url: String { "http://127.0.0.1:\(services.port)" }
    /// The board, whose posters the same server has.
    private var board: String { url }
    private var page: String { "\(board)/movie/20247710" }
    private var poster: String { "\(board)/api/v1/posters/20247710/0123456789ab?size=large" }

    init() async throws {
        services = try await Counterpart("services.py")
    }

    private func alert(
        _ text: String = "〈파묘〉, 〈웡카〉를 제치고 1위", id: String = "lead.20247710.2024-06-04.all", code: String = "20247710",
        poster: String? = "20247710/0123456789ab", severity: Alert.Severity = .major, title: String = "파묘"
    ) -> OutboundAlert {
        OutboundAlert(
            id: id, body: Array("{\"id\":\"\(id)\",\"data\":{\"title\":\"x\"}}".utf8),
            data: Alert(
                Alert.Text(ko: text, en: "English"), movieCode: MovieCode(code), title: title, severity: severity),
            poster: poster)
    }

    private func message(_ alerts: OutboundAlert...) -> SinkMessage {
        SinkMessage(key: alerts.count == 1 ? alerts[0].id : "digest.editor.2026-11-21", alerts: alerts)
    }

    /// Two alerts, of which the second matters more and the first has no poster.
    private var digest: SinkMessage {
        message(
            alert("〈웡카〉 2위", id: "a", code: "20231111", poster: nil, severity: .info), alert("〈파묘〉 1위", id: "b"))
    }

    private func payload<Payload: Decodable>(
        of message: SinkMessage, by keys: String, withBoard: Bool = true, as type: Payload.Type
    ) async throws -> Payload {
        let sink = try ConfiguredSink(reading: keys)
        let response = await sink.send(message, at: now, board: withBoard ? board : nil, by: clients)
        try #require(response.outcome == .delivered, "\(response.text)")
        let line = try #require(await services.line())
        return try JSONDecoder().decode(Taken<Payload>.self, from: Data(line.utf8)).payload
    }

    /// What a service says of a message that it took.
    private struct Taken<Payload: Decodable>: Decodable {
        let payload: Payload
    }

    private var slack: String { "kind: slack, url: '\(url)/services/T0/B0/token'" }
    private var discord: String { "kind: discord, url: '\(url)/api/webhooks/1/token'" }
    private var telegram: String { "kind: telegram, url: '\(url)', token: '12:token', chat: -1001" }
    private var ntfy: String { "kind: ntfy, url: '\(url)', topic: marquee" }
    private var apprise: String { "kind: apprise, url: '\(url)/notify/marquee'" }

    // MARK: Slack

    private struct SlackMessage: Decodable {
        struct Block: Decodable {
            struct Text: Decodable {
                let text: String
            }
            let text: Text
            let accessory: [String: String]?
        }
        let text: String
        let blocks: [Block]
    }

    @Test("Slack gets a linked title with the poster beside it, and a text with the link for clients without blocks")
    func slackMessage() async throws {
        let single = try await payload(of: message(alert()), by: slack, as: SlackMessage.self)
        #expect(single.text == "〈파묘〉, 〈웡카〉를 제치고 1위\n<\(page)>")
        #expect(single.blocks.map(\.text.text) == ["*<\(page)|1위 교체>*\n〈파묘〉, 〈웡카〉를 제치고 1위"])
        #expect(single.blocks[0].accessory == ["type": "image", "image_url": poster, "alt_text": "1위 교체"])
        let digest = try await payload(of: digest, by: slack, as: SlackMessage.self)
        #expect(
            digest.blocks.map(\.text.text) == [
                "*<\(board)/|박스오피스 알림 2건>*\n• <\(board)/movie/20231111|〈웡카〉 2위>\n• <\(page)|〈파묘〉 1위>"
            ])
        #expect(digest.blocks[0].accessory?["image_url"] == poster)
        await clients.shutdown()
    }

    // MARK: Discord

    private struct DiscordMessage: Decodable {
        struct Embed: Decodable {
            let title: String
            let url: String?
            let description: String
            let color: Int
            let thumbnail: [String: String]?
        }
        let content: String?
        let embeds: [Embed]
    }

    @Test("Discord gets an embed with title, link, poster, and a color for the severity")
    func discordMessage() async throws {
        let single = try await payload(of: message(alert()), by: discord, as: DiscordMessage.self)
        let embed = try #require(single.embeds.first)
        #expect(embed.title == "1위 교체" && embed.url == page && embed.description == "〈파묘〉, 〈웡카〉를 제치고 1위")
        #expect(embed.thumbnail == ["url": poster] && single.content == nil)
        let digest = try await payload(of: digest, by: discord, as: DiscordMessage.self).embeds[0]
        #expect(digest.title == "박스오피스 알림 2건" && digest.url == "\(board)/" && digest.color == embed.color)
        #expect(digest.description == "- [〈웡카〉 2위](\(board)/movie/20231111)\n- [〈파묘〉 1위](\(page))")
        let quiet = try await payload(
            of: message(alert(poster: nil, severity: .info)), by: discord, as: DiscordMessage.self)
        #expect(quiet.embeds[0].color != embed.color && quiet.embeds[0].thumbnail == nil)
        await clients.shutdown()
    }

    // MARK: Telegram

    private struct TelegramMessage: Decodable {
        struct Preview: Decodable {
            let url: String?
        }
        let text: String
        let spans: [[String]]
        let preview: Preview

        enum CodingKeys: String, CodingKey {
            case text
            case spans
            case preview = "link_preview_options"
        }
    }

    @Test("Telegram gets a linked bold title, and the poster as the only preview")
    func telegramMessage() async throws {
        let single = try await payload(of: message(alert("😀〈파묘〉 1위")), by: telegram, as: TelegramMessage.self)
        #expect(single.text == "1위 교체\n😀〈파묘〉 1위")
        #expect(single.spans == [["bold", "1위 교체", ""], ["text_link", "1위 교체", page]])
        #expect(single.preview.url == poster)
        let two = message(alert("😀 1위", poster: nil), alert("〈웡카〉 2위", id: "b", code: "20231111", poster: nil))
        let digest = try await payload(of: two, by: telegram, as: TelegramMessage.self)
        #expect(
            digest.spans == [
                ["bold", "박스오피스 알림 2건", ""], ["text_link", "박스오피스 알림 2건", "\(board)/"],
            ])
        #expect(digest.text == "박스오피스 알림 2건\n· 😀 1위\n· 〈웡카〉 2위" && digest.preview.url == nil)
        await clients.shutdown()
    }

    // MARK: ntfy and Apprise

    @Test("ntfy gets title, tap, attachment and tags; Apprise a title and the poster as an attachment")
    func pushes() async throws {
        struct Push: Decodable {
            let title: String
            let message: String
            let click: String?
            let attach: String?
            let filename: String?
            let priority: Int
            let tags: [String]
        }
        let push = try await payload(of: message(alert()), by: ntfy, as: Push.self)
        #expect(push.title == "1위 교체" && push.message == "〈파묘〉, 〈웡카〉를 제치고 1위" && push.click == page)
        #expect(push.attach == poster)
        #expect(push.filename == "poster.jpg" && push.priority == 4 && push.tags == ["lead"])
        let plain = try await payload(
            of: message(alert(poster: nil)), by: "\(ntfy), language: en", withBoard: false, as: Push.self)
        #expect(plain.title == "New No. 1" && plain.click == nil && plain.attach == nil)

        struct Forwarded: Decodable {
            struct Attachment: Decodable {
                let mimetype: String
            }
            let title: String
            let message: String
            let attachments: [Attachment]
        }
        let forwarded = try await payload(of: message(alert()), by: apprise, as: Forwarded.self)
        #expect(forwarded.title == "1위 교체" && forwarded.message == "〈파묘〉, 〈웡카〉를 제치고 1위\n\(page)")
        #expect(forwarded.attachments.map(\.mimetype) == ["image/jpeg"])
        await clients.shutdown()
    }

    // MARK: Webhook

    @Test("a webhook gets the event's own bytes with title, link and image behind them")
    func webhook() async throws {
        struct Event: Decodable {
            let id: String
            let data: [String: String]
            let title: String
            let link: String?
            let image: String?
        }
        let hook = "kind: webhook, url: '\(url)/hook', secret: a, language"
        let event = try await payload(of: message(alert()), by: "\(hook): en", as: Event.self)
        #expect(event.title == "New No. 1" && event.link == page && event.image == poster)
        #expect(event.data == ["title": "x"] && event.id == "lead.20247710.2024-06-04.all")
        let sink = try #require(try ConfiguredSink(reading: "\(hook): en").target as? WebhookSink)
        let body = Array(try #require(sink.request(for: message(alert()), at: now).body))
        #expect(body.starts(with: alert().body.dropLast()))
        let events = try await payload(of: digest, by: "\(hook): en", as: [Event].self)
        #expect(events.map(\.image) == [nil, poster] && events[0].link == "\(board)/movie/20231111")
        let plain = try await payload(
            of: message(alert()), by: "\(hook): ko", withBoard: false, as: Event.self)
        #expect(plain.link == nil && plain.image == nil && plain.title == "1위 교체")
        await clients.shutdown()
    }

    // MARK: Posters and hostile texts

    @Test("a message whose poster the service refuses is delivered without it, in the same attempt")
    func refusedPoster() async throws {
        let message = message(alert(poster: "99999999/0123456789ab"))
        for keys in [slack, apprise] {
            let response = try await ConfiguredSink(reading: keys).send(message, at: now, board: board, by: clients)
            #expect(response.outcome == .delivered && response.text.contains("without the poster"), "\(response.text)")
            _ = try #require(await services.line())
        }
        await clients.shutdown()
    }

    @Test(
        "hostile and very long titles pass every service's limits and are no markup there", .ownThread,
        arguments: HostileTitle.allCases)
    func hostile(_ title: HostileTitle) async throws {
        let name = title.text
        struct Text: Decodable {
            let text: String
        }
        let one = alert("〈\(name)〉 1위", title: name)
        let many = SinkMessage(
            key: "digest", alerts: (1...120).map { alert("〈\(name)〉 \($0)", id: "\($0)", title: name) })
        for keys in [slack, discord, telegram, ntfy, apprise] {
            let sink = try ConfiguredSink(reading: keys)
            for message in [message(one), many] {
                let response = await sink.send(message, at: now, board: board, by: clients)
                try #require(response.outcome == .delivered, "\(keys): \(response.text)")
                let line = try #require(await services.line())
                let text = try JSONDecoder().decode(Text.self, from: Data(line.utf8)).text
                #expect(
                    !text.unicodeScalars.contains {
                        "\u{202E}\u{2066}\u{200B}\u{FEFF}\u{7}".unicodeScalars.contains($0)
                    })
                if keys == slack {
                    #expect(
                        !Array(text.utf8).contains(Array("<!channel".utf8))
                            && !Array(text.utf8).contains(Array("<@".utf8)))
                }
            }
        }
        await clients.shutdown()
    }

    // MARK: Mail

    @Test("a mail has an encoded Korean subject, the plain text with the link, and the message's key as its id")
    func mail() async throws {
        let folder = try TemporaryFolder()
        let server = try await Counterpart("mail.py", [folder.path, "--parse", "--refuse", "nobody@example.org"])
        let mail = "kind: mail, host: 127.0.0.1, port: \(server.port), security: none, from: marquee@example.org, to"
        let text = String(repeating: "〈파묘 & <i>〉 4위→1위 ▲3, ", count: 8)
        let response = try await ConfiguredSink(reading: "\(mail): [a@example.org, b@example.org]").send(
            message(alert(text, title: "\"파묘\" <i>")), at: now, board: "https://board.example", by: clients)
        #expect(response == SinkResponse(outcome: .delivered, text: "250 2.0.0 taken"))
        struct Parsed: Decodable {
            let subject: String
            let text: String
            let types: [String]
            let id: String
            let date: Double
            let defects: Int
        }
        let parsed = try JSONDecoder().decode(Parsed.self, from: Data(try #require(await server.line()).utf8))
        let link = "https://board.example/movie/20247710"
        #expect(parsed.subject == text && parsed.text == "\(text)\r\n\(link)\r\n")
        #expect(parsed.types == ["text/plain"])
        #expect(parsed.id == "<lead.20247710.2024-06-04.all@example.org>")
        #expect(parsed.date == now.timeIntervalSince1970.rounded(.down))
        #expect(parsed.defects == 0)
        let refusal = try await ConfiguredSink(reading: "\(mail): nobody@example.org").send(
            message(alert()), at: now, board: nil, by: clients)
        #expect(refusal == SinkResponse(outcome: .rejected, text: "550 5.1.1 no such mailbox here"))
        await clients.shutdown()
    }
}

/// Titles that attack the markup and the limits of services.
enum HostileTitle: CaseIterable {
    case slackMarkup
    case discordMarkup
    case html
    case bidirectional
    case combining
    case longMarkup
    case longEmoji
    case longCluster

    var text: String {
        switch self {
        case .slackMarkup: "<!channel> <@U1> & <https://evil.example|x>"
        case .discordMarkup: "[x](https://evil.example) **b** @everyone #c"
        case .html: "@name <b>x</b> <script>alert(1)</script> &lt; \" onload='x'"
        case .bidirectional: "\u{202E}back\u{2066}ward\u{200B}\u{FEFF}\u{7}bell"
        case .combining: "\u{D4E}<\u{301}b>\u{301}"
        case .longMarkup: String(repeating: "\"\\<&@[*", count: 2_000)
        case .longEmoji: String(repeating: "가👨‍👩‍👧", count: 5_000)
        case .longCluster: "e" + String(repeating: "\u{301}", count: 10_000)
        }
    }
}
