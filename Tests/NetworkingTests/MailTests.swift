import Foundation
import TestSupport
import Testing

@testable import Networking

/// Against a real mail server.
@Suite(.timeLimit(.minutes(5))) struct MailTests {
    /// What the server says of a mail that it took.
    private struct Taken: Decodable {
        let from: String
        let to: [String]
        let text: String
        let tls: Bool
        let user: String?
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

    private func taken(by server: Counterpart) async throws -> Taken {
        try JSONDecoder().decode(Taken.self, from: Data(try #require(await server.line()).utf8))
    }

    @Test("a mail arrives as it is, for all its recipients")
    func plain() async throws {
        let server = try await server()
        let reply = try await client.send(mail(to: server.port))
        #expect(reply == MailClient.Reply(code: 250, text: "250 2.0.0 taken"))
        let taken = try await taken(by: server)
        #expect(taken.from == "marquee@example.org" && taken.to == ["one@example.org", "two@example.org"])
        #expect(taken.text.contains("first\r\n.\r\n..last\r\n"))
        #expect(!taken.tls)
        await client.shutdown()
    }

    @Test(
        "it is encrypted and signed in, by STARTTLS or from the first byte",
        arguments: [MailRequest.Security.startTLS, .tls])
    func encrypted(security: MailRequest.Security) async throws {
        let server = try await server("--\(security.rawValue.lowercased())", "--login", "me", "p w:d")
        var mail = mail(to: server.port, security)
        mail.authorities = folder.file("certificate.pem")
        (mail.user, mail.password) = ("me", "p w:d")
        #expect(try await client.send(mail).code == 250)
        let taken = try await taken(by: server)
        #expect(taken.tls && taken.user == "me")
        await client.shutdown()
    }

    @Test("a stranger's certificate, or a server without encryption, gets nothing")
    func untrusted() async throws {
        let server = try await server("--starttls")
        #expect(await failure(of: mail(to: server.port, .startTLS))?.kind == .unavailable)
        let open = try await self.server()
        #expect(await failure(of: mail(to: open.port, .startTLS)) != nil)
        await client.shutdown()
    }

    @Test("a refusal is told in the server's words, and not the password")
    func refused() async throws {
        let server = try await server("--refuse", "two@example.org", "--busy", "1")
        #expect(
            try await client.send(mail(to: server.port)) == .init(code: 550, text: "550 5.1.1 no such mailbox here"))
        var other = mail(to: server.port)
        other.recipients = ["one@example.org"]
        #expect(try await client.send(other).code == 451)
        #expect(try await client.send(other).code == 250)

        let locked = try await self.server("--login", "me", "right")
        var stranger = mail(to: locked.port)
        (stranger.user, stranger.password) = ("me", "wr0ng-secret")
        #expect(try await client.send(stranger).code == 535)
        #expect(!String(reflecting: stranger).contains("wr0ng"))
        await client.shutdown()
    }

    @Test("no server, and an address that would be a command, are errors")
    func mistakes() async throws {
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
