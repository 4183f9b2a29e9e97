import FoundationEssentials
import Networking
import Text

/// Mail to one or more addresses.
///
/// A recipient that the server refuses, for good or for the moment, costs the others nothing: the mail becomes a dead
/// letter that only the refused are sent again.
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
        mail.recipients.removeAll(where: message.acceptedBy.contains)
        if mail.recipients.isEmpty { return SinkResponse(outcome: .delivered, text: "all recipients have it") }
        mail.message =
            MailMessage(
                message, in: language, from: mail.sender, to: envelope.recipients, at: now, board: board
            ).bytes
        do throws(UpstreamError) {
            let reply = try await client.send(mail)
            let outcome = outcome(of: reply.code)
            guard outcome == .delivered, !reply.refusals.isEmpty else {
                return SinkResponse(outcome: outcome, text: reply.text)
            }
            let refused = Set(reply.refusals.map(\.recipient))
            let refusals = reply.refusals.map { "\($0.recipient): \($0.text)" }.joined(separator: "; ")
            return SinkResponse(
                outcome: .rejected, text: "refused for some recipients, and sent to the others: \(refusals)",
                acceptedBy: mail.recipients.filter { !refused.contains($0) })
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
