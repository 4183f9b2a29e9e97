import Contract
import Foundation
import Networking
import ServiceRuntime
import TestSupport
import Testing
import Text
import YAML

@testable import Notifier

/// The `sinks:` of a rule file.
struct ConfiguredSinkTests {
    private func read(_ text: String) throws -> (sinks: [ConfiguredSink], diagnostics: [String]) {
        var diagnostics = ConfigurationDiagnosticsError()
        let node = try #require(try Node.read(Array(text.utf8), file: "rules.yml", &diagnostics))
        let sinks = ConfiguredSink.read(node, &diagnostics)
        return (sinks, diagnostics.diagnostics.map(\.description))
    }

    @Test("each kind of sink is read from its required fields alone")
    func kinds() throws {
        let (sinks, diagnostics) = try read(
            """
            hook: {kind: webhook, url: "https://example.org/hook", secret: whsec_c2VjcmV0}
            harness: {kind: slack, url: "https://hooks.slack.com/services/T/B/x"}
            guild: {kind: discord, url: "https://discord.com/api/webhooks/1/x"}
            chat: {kind: telegram, token: "12:ab", chat: -1001}
            phone: {kind: ntfy, topic: marquee-7f}
            all: {kind: apprise, url: "http://apprise:8000/notify/marquee", tag: film}
            post: {kind: mail, host: mail.example.org, from: a@example.org, to: b@example.org}
            log: {kind: file, path: /var/lib/alerts.jsonl}
            screen: {kind: standardOutput}
            """)
        #expect(diagnostics == [])
        #expect(sinks.map(\.name) == ["hook", "harness", "guild", "chat", "phone", "all", "post", "log", "screen"])
        #expect(sinks.map(\.kind) == ConfiguredSink.kinds.map { $0.kind })
        #expect((sinks[0].target as? WebhookSink)?.key == Array("secret".utf8))
        #expect(
            sinks.map { $0.address(in: .en) } == [
                "https://example.org", "https://hooks.slack.com", "https://discord.com",
                "https://api.telegram.org, chat -1001", "https://ntfy.sh", "http://apprise:8000",
                "b@example.org by mail.example.org:587", "/var/lib/alerts.jsonl", "-",
            ])
        #expect((sinks[6].target as? MailSink)?.envelope.security == .startTLS)
    }

    @Test("a sink has filters, a digest, quiet hours, a rate limit and retries")
    func wishes() throws {
        let (sinks, diagnostics) = try read(
            """
            desk:
              kind: standardOutput
              language: en
              rules: [lead, entered]
              severity: notable
              cooldown: 3d
              quietHours: 23:00-08:00
              digest: 09:00
              rate: 20/1m
              attempts: 3
            """)
        #expect(diagnostics == [])
        let sink = try #require(sinks.first)
        #expect(sink.language == .en && sink.rules == ["lead", "entered"] && sink.severity == .notable)
        #expect(sink.cooldown == .seconds(259_200) && sink.backoff.attempts == 3)
        #expect(
            sink.policy
                == DeliveryPolicy(
                    sink: "desk", quietHours: QuietHours("23:00-08:00"), digest: TimeOfDay("09:00"),
                    rate: RateLimit("20/1m")))
    }

    @Test("a secret can be read from a file, and no diagnostic contains one")
    func secrets() throws {
        let folder = try TemporaryFolder()
        try Data("https://hooks.example.org/T0p\n".utf8).write(to: URL(filePath: folder.file("url")))
        let (sinks, diagnostics) = try read("harness: {kind: slack, urlFile: \(folder.file("url"))}")
        #expect(diagnostics == [])
        #expect(sinks[0].secrets.map(\.value).contains("T0p"))
        #expect(!String(reflecting: sinks[0].secrets).contains("T0p"))

        let wrong = try read(
            """
            one: {kind: slack, url: "hush://T0p"}
            two: {kind: slack, url: "https://x/T0p", urlFile: \(folder.file("url"))}
            three: {kind: telegram, token: [T0p], chat: 1}
            four: {kind: slack, urlFile: \(folder.file("none"))}
            five: {kind: webhook, url: "https://x/T0p", secret: "whsec_T0p!"}
            """
        ).diagnostics
        #expect(wrong.count == 5)
        #expect(!wrong.joined().contains("T0p"))
        #expect(wrong[3].contains("none") && wrong[3].contains("No such file"))
    }

    @Test("the example's sinks are valid, also those in its comments, except for missing secret files")
    func example() throws {
        let path = URL(filePath: #filePath).appending(path: "../../../../Examples/rules.yml").standardized
        let text = try String(contentsOf: path, encoding: .utf8)
        let lines = text.split(separator: "\n").map { $0.hasPrefix("  # ") ? "  " + $0.dropFirst(4) : String($0) }
        let start = try #require(lines.firstIndex(of: "sinks:"))
        let (sinks, diagnostics) = try read(lines[(start + 1)...].joined(separator: "\n"))
        #expect(sinks.first?.name == "terminal")
        #expect(diagnostics.count == 2 && diagnostics.allSatisfy { $0.contains("cannot read \"/run/secrets/") })
    }

    @Test(
        "an address to which nothing can be sent is refused",
        arguments: [
            ("mail, host: mail.example.org:587", "host: 'mail.example.org:587' is not a server alone"),
            ("mail, host: 'smtp://mail.example.org'", "host: the quoted text 'smtp://mail.example.org' is"),
            ("mail, host: 메일.kr", "host: '메일.kr' is not a server alone"),
            ("mail, host: ''", "host: the quoted text '' is not a server alone"),
            ("slack, url: 'http://example.org:99999/x'", "url: the URL's port is not between 1 and 65535"),
            ("telegram, token: a, chat: 1, url: 'http://example.org:0'", "url: the URL's port is not"),
            ("ntfy, topic: a, url: 'https://ntfy.sh/mytopic'", "url: write the server alone, as in https://ntfy.sh"),
            ("ntfy, topic: 'https://ntfy.sh/mytopic'", "topic: a topic has 1 to 64 letters, digits, hyphens and _"),
            ("file, path: \"/srv/a\u{200B}b\"", "path: the text contains U+200B; remove it"),
        ])
    func addresses(sink: String, message: String) throws {
        let mail = sink.hasPrefix("mail") ? ", from: a@example.org, to: b@example.org" : ""
        let (sinks, diagnostics) = try read("one: {kind: \(sink)\(mail)}")
        #expect(sinks.isEmpty)
        #expect(diagnostics.count == 1 && diagnostics[0].contains("one.\(message)"), "\(diagnostics)")
    }

    @Test(
        "a mail server is a name or an address",
        arguments: [
            ("mail.example.org", "mail.example.org"), ("192.0.2.1", "192.0.2.1"), ("\"::1\"", "[::1]"),
            ("\"[2001:db8::1]\"", "[2001:db8::1]"),
        ])
    func mailServers(host: String, urlHost: String) throws {
        let (sinks, diagnostics) = try read("one: {kind: mail, host: \(host), from: a@example.org, to: b@example.org}")
        #expect(diagnostics == [])
        #expect((sinks.first?.target as? MailSink)?.envelope.host == urlHost)
    }

    @Test("a path may stand in typographic quotes")
    func quotes() throws {
        let (sinks, diagnostics) = try read("one: {kind: file, path: “/srv/alerts”}")
        #expect(diagnostics == [])
        #expect(sinks.map { $0.address(in: .ko) } == ["/srv/alerts"])
    }

    @Test("all errors are reported at once, with their positions")
    func diagnostics() throws {
        let (sinks, diagnostics) = try read(
            """
            a b: {kind: file, path: x}
            one: {kind: carrier-pigeon}
            two: {path: x}
            three: {kind: file, pth: x}
            four:
              kind: mail
              host: m
              from: nobody
              to: [a@example.org, b, c]
              digest: 9am
              rules: [leed, rise]
            five: {language: kr}
            six: {kind: webhook}
            seven: {kind: file, path: ~/alerts}
            """)
        #expect(sinks.isEmpty)
        let rules = AlertRule.allCases.map(\.rawValue).joined(separator: ", ")
        #expect(
            diagnostics == [
                "rules.yml:1:1: a b: a sink's name has 1 to 40 letters, digits, hyphens and _",
                "rules.yml:2:13: one.kind: 'carrier-pigeon' is not one of webhook, slack, discord, telegram, ntfy, apprise, "
                    + "mail, file, standardOutput",
                "rules.yml:3:6: two: kind is missing",
                "rules.yml:4:8: three: path is missing",
                "rules.yml:4:21: three.pth: unknown key; did you mean path?",
                "rules.yml:8:9: four.from: 'nobody' is not an address such as editor@example.org",
                "rules.yml:9:23: four.to[1]: 'b' is not an address such as editor@example.org",
                "rules.yml:9:26: four.to[2]: 'c' is not an address such as editor@example.org",
                "rules.yml:10:11: four.digest: '9am' is not a time such as 09:00",
                "rules.yml:11:11: four.rules[0]: 'leed' is not one of \(rules)",
                "rules.yml:11:17: four.rules[1]: 'rise' is not one of \(rules)",
                "rules.yml:12:7: five: kind is missing",
                "rules.yml:12:18: five.language: 'kr' is not one of ko, en",
                "rules.yml:13:6: six: url is missing; give url, or urlFile with a path",
                "rules.yml:13:6: six: secret is missing; give secret, or secretFile with a path",
                "rules.yml:14:27: seven.path: write the path out; nothing replaces ~ or $ at its beginning",
            ])
    }
}
