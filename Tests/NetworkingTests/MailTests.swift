import Foundation
import TestSupport
import Testing

@testable import Networking

/// Against a real mail server.
@Suite(.patience) struct MailTests {
    /// The server's report of a mail that it accepted.
    private struct ReceivedMail: Decodable {
        let from: String
        let to: [String]
        let text: String
        let tls: Bool
        let user: String?
        let greeting: String
    }

    private let folder: TemporaryFolder
    private let client = MailClient()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func server(_ arguments: String...) async throws -> Counterpart {
        try await Counterpart("mail.py", [folder.path] + arguments)
    }

    private func mail(to port: Int, _ security: MailRequest.Security = .none) -> MailRequest {
        MailRequest(
            host: "127.0.0.1", port: port, security: security, sender: "marquee@example.org",
            recipients: ["one@example.org", "two@example.org"],
            message: Array("Subject: hi\r\n\r\nfirst\r\n.\r\n..last\r\n".utf8))
    }

    private func received(by server: Counterpart) async throws -> ReceivedMail {
        try JSONDecoder().decode(ReceivedMail.self, from: Data(try #require(await server.line()).utf8))
    }

    @Test("a mail arrives unchanged for all its recipients")
    func plain() async throws {
        let server = try await server()
        let reply = try await client.send(mail(to: server.port))
        #expect(reply == MailClient.Reply(code: 250, text: "250 2.0.0 taken"))
        let received = try await received(by: server)
        #expect(received.from == "marquee@example.org" && received.to == ["one@example.org", "two@example.org"])
        #expect(received.text.contains("first\r\n.\r\n..last\r\n"))
        #expect(!received.tls)
        #expect(received.greeting == "example.org", "the sender's domain, and not the name of this machine")
        await client.shutdown()
    }

    @Test(
        "the client encrypts and logs in, by STARTTLS or from the first byte",
        arguments: [MailRequest.Security.startTLS, .tls])
    func encrypted(security: MailRequest.Security) async throws {
        let server = try await server("--\(security.rawValue.lowercased())", "--login", "me", "p w:d")
        var mail = mail(to: server.port, security)
        mail.certificateFile = folder.file("certificate.pem")
        (mail.user, mail.password) = ("me", "p w:d")
        #expect(try await client.send(mail).code == 250)
        let received = try await received(by: server)
        #expect(received.tls && received.user == "me")
        await client.shutdown()
    }

    @Test("a server with an untrusted certificate or without encryption gets nothing")
    func untrusted() async throws {
        let server = try await server("--starttls")
        #expect(await failure(of: mail(to: server.port, .startTLS))?.kind == .wrongAddress)
        let open = try await self.server()
        #expect(await failure(of: mail(to: open.port, .startTLS))?.kind == .wrongAddress)
        await client.shutdown()
    }

    @Test("a rejection contains the server's text and not the password")
    func refused() async throws {
        let server = try await server("--refuse", "two@example.org", "--busy", "1")
        var other = mail(to: server.port)
        other.recipients = ["two@example.org"]
        #expect(try await client.send(other) == .init(code: 550, text: "550 5.1.1 no such mailbox here"))
        other.recipients = ["one@example.org"]
        #expect(try await client.send(other).code == 451)
        #expect(try await client.send(other).code == 250)

        let locked = try await self.server("--login", "me", "right")
        var untrusted = mail(to: locked.port)
        (untrusted.user, untrusted.password) = ("me", "wr0ng-secret")
        #expect(try await client.send(untrusted).code == 535)
        #expect(!String(reflecting: untrusted).contains("wr0ng"))
        await client.shutdown()
    }

    @Test(
        "a recipient that is refused, for good or for the moment, costs the others nothing, and is named",
        arguments: [("--refuse", "550 5.1.1 no such mailbox here"), ("--defer", "450 4.2.0 greylisted")])
    func refusedRecipient(option: String, reply: String) async throws {
        let server = try await server(option, "two@example.org")
        var mail = mail(to: server.port)
        mail.recipients.append("three@example.org")
        let refusal = MailClient.Refusal(recipient: "two@example.org", text: reply)
        #expect(
            try await client.send(mail) == .init(code: 250, text: "250 2.0.0 taken", refusals: [refusal]))
        #expect(try await received(by: server).to == ["one@example.org", "three@example.org"])
        await client.shutdown()
    }

    @Test("a mail that nobody got is rejected for the moment if one recipient is, in whatever order")
    func refusedByAll() async throws {
        for (refused, deferred) in [("one", "two"), ("two", "one")] {
            let server = try await server("--refuse", "\(refused)@example.org", "--defer", "\(deferred)@example.org")
            #expect(try await client.send(mail(to: server.port)) == .init(code: 450, text: "450 4.2.0 greylisted"))
        }
        await client.shutdown()
    }

    @Test("a connection that ends behind a refused recipient is an error, and no rejection")
    func hungUp() async throws {
        let server = try await server("--refuse", "one@example.org", "--hang-up", "two@example.org")
        #expect(await failure(of: mail(to: server.port))?.kind == .unavailable)
        await client.shutdown()
    }

    @Test("a missing server and an address with a line end are errors")
    func invalidMails() async throws {
        #expect(await failure(of: mail(to: 1))?.kind == .unavailable)
        var injected = mail(to: 1)
        injected.recipients = ["a@example.org>\r\nDATA"]
        #expect(await failure(of: injected)?.kind == .badRequest)
        await client.shutdown()
    }

    /// Why a mail was not handed over.
    private func failure(of mail: MailRequest) async -> UpstreamError? {
        do throws(UpstreamError) {
            _ = try await client.send(mail)
            return nil
        } catch {
            return error
        }
    }
}
