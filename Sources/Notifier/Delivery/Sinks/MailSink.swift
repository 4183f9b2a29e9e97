import FoundationEssentials
import Networking

/// Mail to one or more addresses.
struct MailSink: Sink {
    let client: MailClient
    /// The mail server, the sender and the recipients; the message is set for each mail.
    let envelope: MailRequest
    let language: Language
    /// The board's public URL, for links; nil if there is none.
    var board: String?

    var secrets: [String] { [envelope.password].compactMap(\.self) }

    func send(_ message: SinkMessage, at now: Date) async -> SinkResponse {
        var mail = envelope
        mail.message =
            MailMessage(
                message, in: language, from: mail.sender, to: mail.recipients, at: now, board: board
            ).bytes
        do throws(UpstreamError) {
            let reply = try await client.send(mail)
            return SinkResponse(outcome: outcome(of: reply.code), text: reply.text)
        } catch {
            return SinkResponse(outcome: error.outcome, text: error.message)
        }
    }

    private func outcome(of code: Int) -> SinkResponse.Outcome {
        switch code {
        case 200...299: .delivered
        case 500...: .rejected
        default: .failed()
        }
    }
}
