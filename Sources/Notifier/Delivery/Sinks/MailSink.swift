import FoundationEssentials
import Networking

/// People, by mail.
struct MailSink: Sink {
    let client: MailClient
    /// The mail server, the sender and who gets it; its message is made for each letter.
    let envelope: MailRequest
    let language: Language

    var secrets: [String] { [envelope.password].compactMap(\.self) }

    func send(_ letter: SinkMessage, at now: Date) async -> SinkResponse {
        var mail = envelope
        mail.message = MailMessage(letter, in: language, from: mail.sender, to: mail.recipients, at: now).bytes
        do throws(UpstreamError) {
            let reply = try await client.send(mail)
            return SinkResponse(verdict: verdict(reply.code), text: reply.text)
        } catch {
            return SinkResponse(verdict: error.kind == .badRequest ? .refused : .failed(), text: error.message)
        }
    }

    private func verdict(_ code: Int) -> SinkResponse.Outcome {
        switch code {
        case 200...299: .taken
        case 500...: .refused
        default: .failed()
        }
    }
}
