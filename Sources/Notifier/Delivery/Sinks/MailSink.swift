import BoxOffice
import FoundationEssentials
import Networking
import Text
import YAML

/// Mail. A recipient that the server refuses costs the others nothing: only the refused are sent the dead letter again.
struct MailSink: Sink {
    static let kind = "mail"
    static let keys = ["host", "port", "security", "authorities", "user", "password", "passwordFile", "from", "to"]

    let envelope: MailRequest

    init?(_ fields: inout SinkFields) {
        func address(_ node: Node) throws(ConfigurationDiagnostic) -> String {
            try node.value(expected: "editor@example.org 같은 메일 주소를", "an address such as editor@example.org") {
                MailRequest.isAddress($0) ? $0 : nil
            }
        }
        let security: MailRequest.Security = fields.choice("security") ?? .startTLS
        let port = fields.value("port") { node throws(ConfigurationDiagnostic) in try node.integer(in: 1...65_535) }
        let user = fields.text("user", isNeeded: false)
        let password = fields.secret("password", isNeeded: user != nil)
        let authorities = fields.path("authorities", isNeeded: false)
        let recipients = fields.oneOrMore("to", address)
        let sender = fields.required("from", address)
        let host = fields.required("host") { node throws(ConfigurationDiagnostic) in
            try node.value(
                expected: "mail.example.org 같은 서버 이름만(영문, 포트는 port 키에)",
                "a server alone, such as mail.example.org; its port belongs in port"
            ) { $0.unwrapped().urlHost }
        }
        guard let host, let sender, let recipients else { return nil }
        let ports: [MailRequest.Security: Int] = [.tls: 465, .startTLS: 587]
        envelope = MailRequest(
            host: host, port: port ?? ports[security] ?? 25, security: security, certificateFile: authorities,
            user: user, password: password, sender: sender, recipients: recipients, message: [])
    }

    func address(in language: Language) -> String {
        let server = "\(envelope.host):\(envelope.port)"
        return envelope.recipients.joined(separator: ", ") + (language == .ko ? "(\(server) 경유)" : " by \(server)")
    }

    func send(_ message: SinkMessage, at now: Date, by clients: SinkClients) async -> SinkResponse {
        var mail = envelope
        mail.recipients.removeAll(where: message.acceptedBy.contains)
        if mail.recipients.isEmpty { return SinkResponse(outcome: .delivered, text: "all recipients have it") }
        mail.message = MailMessage(message, from: mail.sender, to: envelope.recipients, at: now).bytes
        do throws(UpstreamError) {
            let reply = try await clients.mail.send(mail)
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

extension String {
    /// The text as a URL has a host, an IPv6 address in brackets; nil if it is no name and no address.
    fileprivate var urlHost: String? {
        let digits = hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
        if digits.utf8.count(where: { $0 == UInt8(ascii: ":") }) > 1 {
            return digits.utf8.allSatisfy { "0123456789abcdefABCDEF:.".utf8.contains($0) } ? "[\(digits)]" : nil
        }
        let isName = !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) }
        return isName ? self : nil
    }
}

// MARK: - The mail

/// A message as a mail of plain text: RFC 5322, in ASCII throughout.
struct MailMessage {
    /// The mail, in lines that end with CR LF.
    let bytes: [UInt8]

    init(_ message: SinkMessage, from sender: String, to recipients: [String], at now: Date) {
        let domain = sender.split(separator: "@").last ?? "localhost"
        var head = [
            "From: marquee <\(sender)>", "To: \(recipients.joined(separator: ",\r\n "))",
            "Subject: \(Self.words(message.title.onOneLine.cut(to: 1_000)))", "Date: \(Self.date(now))",
            "Message-ID: \(Self.id(message.key, domain))",
        ]
        // Mail programs show a retraction in the thread of its alert.
        if message.alerts.count == 1, let retracted = message.alerts[0].data.retracts {
            head += ["In-Reply-To: \(Self.id(retracted, domain))", "References: \(Self.id(retracted, domain))"]
        }
        head += [
            "Auto-Submitted: auto-generated", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: base64", "",
            Data((message.text(limit: 100_000, link: message.link) + "\n").mailBytes)
                .base64EncodedString(options: .lineLength76Characters),
        ]
        bytes = Array(head.map { $0 + "\r\n" }.joined().utf8)
    }

    /// Returns the same id for the same message, so that a mailbox can recognise a repeated mail.
    private static func id(_ key: String, _ domain: some StringProtocol) -> String {
        let plain = key.map { $0.isASCII && ($0.isLetter || $0.isNumber || "+-_.".contains($0)) ? $0 : "-" }
        return "<\(String(plain))@\(domain)>"
    }

    /// Returns a date in Korean time.
    private static func date(_ now: Date) -> String {
        let day = KoreanDate(at: now)
        let time = (now + 9 * 3_600).ISO8601Format().dropFirst(11).prefix(8)
        let weekday = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][day.weekday]
        let month = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ][day.month - 1]
        return "\(weekday), \(day.day) \(month) \(day.year) \(time) +0900"
    }

    /// Returns a text as encoded words (RFC 2047), each of whole characters and at most 75 characters long.
    static func words(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), text.utf8.count < 60, !text.contains("=?") {
            return text
        }
        var pieces: [String] = [""]
        for scalar in text.unicodeScalars where !scalar.isUnprintable {
            if pieces[pieces.count - 1].utf8.count + String(scalar).utf8.count > 45 { pieces.append("") }
            pieces[pieces.count - 1].unicodeScalars.append(scalar)
        }
        return pieces.map { "=?utf-8?B?\(Data($0.utf8).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }
}
