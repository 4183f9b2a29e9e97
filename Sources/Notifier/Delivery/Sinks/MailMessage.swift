import BoxOffice
import FoundationEssentials
import Text

/// A message as a mail: RFC 5322, in ASCII throughout, with a plain text and the same as HTML (`multipart/alternative`).
struct MailMessage {
    /// The mail, in lines that end with CR LF.
    let bytes: [UInt8]

    /// Never in base64, and so in no part (RFC 2045, 6.7).
    private static let boundary = "=_marquee"

    /// Formats a message.
    ///
    /// - Parameter board: the board's public URL, for links and posters; nil if there is none.
    init(
        _ message: SinkMessage, in language: Language, from sender: String, to recipients: [String], at now: Date,
        board: String?
    ) {
        let domain = sender.split(separator: "@").last ?? "localhost"
        var head = [
            "From: marquee <\(sender)>", "To: \(recipients.joined(separator: ",\r\n "))",
            "Subject: \(Self.words(message.title(in: language).onOneLine.cut(to: 1_000)))", "Date: \(Self.date(now))",
            "Message-ID: \(Self.id(message.key, domain))",
        ]
        // Mail programs show a retraction in the thread of its alert.
        if message.alerts.count == 1, let retracted = message.alerts[0].retracts {
            head += ["In-Reply-To: \(Self.id(retracted, domain))", "References: \(Self.id(retracted, domain))"]
        }
        head += [
            "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
            "Content-Type: multipart/alternative; boundary=\"\(Self.boundary)\"", "",
        ]
        let text = message.text(in: language, limit: 100_000, link: message.link(on: board)) + "\n"
        let parts =
            Self.part(text, type: "plain") + Self.part(MailPage(message, in: language, board: board).html, type: "html")
        bytes = Array((head + parts + ["--\(Self.boundary)--"]).map { $0 + "\r\n" }.joined().utf8)
    }

    /// Returns the lines of a part.
    private static func part(_ text: String, type: String) -> [String] {
        ["--\(boundary)", "Content-Type: text/\(type); charset=utf-8", "Content-Transfer-Encoding: base64", ""]
            + base64(text)
    }

    /// Returns the same id for the same message, so that a mailbox can recognise a repeated mail.
    private static func id(_ key: String, _ domain: some StringProtocol) -> String {
        let plain = key.map { $0.isASCII && ($0.isLetter || $0.isNumber || "+-_.".contains($0)) ? $0 : "-" }
        return "<\(String(plain))@\(domain)>"
    }

    /// Returns a date in Korean time.
    private static func date(_ now: Date) -> String {
        let day = KoreanDate(at: now)
        let seconds = Int(now.timeIntervalSince(day.start))
        let time = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { String(String(100 + $0).dropFirst()) }
        let weekday = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][day.weekday]
        let month = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ][day.month - 1]
        return "\(weekday), \(day.day) \(month) \(day.year) \(time.joined(separator: ":")) +0900"
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

    private static func base64(_ text: String) -> [String] {
        var rest = Substring(Data(text.mailBytes).base64EncodedString())
        var lines: [String] = []
        while !rest.isEmpty {
            lines.append(String(rest.prefix(76)))
            rest = rest.dropFirst(76)
        }
        return lines
    }
}
