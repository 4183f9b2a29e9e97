import Text

/// A message as a page of HTML for mail programs: tables and inline styles, which all of them know, and a dark theme for
/// those that have one.
///
/// Nothing of a message is markup: texts and addresses are escaped. The only thing that a mail program may fetch is the
/// poster, from the board.
struct MailPage {
    let html: String

    init(_ message: SinkMessage) {
        let language = message.language
        let title = message.title.cut(to: 1_000).escapedForHTML
        var rows = ""
        for alert in message.alerts.prefix(Self.maximumRows) {
            rows += Self.row(alert, in: language, board: message.board)
        }
        let left = message.alerts.count - Self.maximumRows
        if left > 0 {
            let rest = language == .ko ? "외 \(left)건" : "and \(left) more"
            rows += "<p class=\"dim\" style=\"margin:16px 0 0;font-size:14px;color:#5c6670\">\(rest)</p>\n"
        }
        let heading =
            message.alerts.count > 1
            ? "<h1 class=\"ink\" style=\"margin:0 0 16px;font-size:20px;line-height:28px;color:#1b1f24\">\(title)</h1>"
            : ""
        html = """
            <!DOCTYPE html>
            <html lang="\(language.rawValue)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <meta name="color-scheme" content="light dark">
            <meta name="supported-color-schemes" content="light dark">
            <title>\(title)</title>
            <style>
            :root { color-scheme: light dark; supported-color-schemes: light dark; }
            @media (prefers-color-scheme: dark) {
            .page { background: #14171a !important; }
            .card { background: #1e2226 !important; border-top-color: #343a40 !important; border-right-color: #343a40 !important; border-bottom-color: #343a40 !important; }
            .ink { color: #f1f3f5 !important; }
            .dim { color: #adb5bd !important; }
            .link { color: #6fd9c8 !important; }
            }
            </style>
            </head>
            <body class="page" style="margin:0;padding:0;background:#f4f5f6">
            <table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f4f5f6">
            <tr><td align="center" style="padding:24px 12px">
            <table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;\(Self.font)">
            <tr><td>\(heading)
            \(rows)\(Self.footer(message))</td></tr>
            </table>
            </td></tr>
            </table>
            </body>
            </html>

            """
    }

    /// The largest number of cards: mail programs cut pages of more than 100 kB. The plain text has all alerts.
    private static let maximumRows = 60

    private static let font =
        "font-family:-apple-system,'Apple SD Gothic Neo','Malgun Gothic','Noto Sans KR','Noto Sans CJK KR',Segoe UI,"
        + "Roboto,sans-serif"

    /// Returns an alert as a card: its poster, the rule in words, the sentence, and a link.
    private static func row(_ alert: OutboundAlert, in language: Language, board: String?) -> String {
        let link = alert.link(on: board)?.escapedForHTML
        func linked(_ html: String, class name: String, style: String) -> String {
            guard let link else { return "<span class=\"\(name)\" style=\"\(style)\">\(html)</span>" }
            return "<a class=\"\(name)\" href=\"\(link)\" style=\"\(style);text-decoration:none\">\(html)</a>"
        }
        var poster = ""
        if let source = alert.image(on: board, .large)?.escapedForHTML {
            let title = (alert.data.title ?? "").clean.cut(to: 200).escapedForHTML
            let image =
                "<img src=\"\(source)\" alt=\"\(title)\" width=\"72\" "
                + "style=\"display:block;width:72px;height:auto;border:0;border-radius:4px\">"
            poster =
                "<td class=\"dim\" width=\"72\" valign=\"top\" "
                + "style=\"padding:16px 0 16px 16px;font-size:12px;color:#5c6670\">"
                + linked(image, class: "dim", style: "color:#5c6670") + "</td>"
        }
        let sentence = alert.sentence(in: language).cut(to: 2_000).escapedForHTML
        return """
            <table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" \
            style="margin:0 0 12px;background:#ffffff;border:1px solid #dfe3e6;\
            border-left:4px solid #\(String(alert.data.severity.color, radix: 16));border-radius:6px">
            <tr>\(poster)<td valign="top" style="padding:16px">
            <div class="dim" style="font-size:13px;line-height:18px;color:#5c6670">\
            \(alert.heading(in: language).escapedForHTML)</div>
            <div style="padding-top:4px;font-size:17px;line-height:26px">\
            \(linked(sentence, class: "ink", style: "color:#1b1f24"))</div>
            </td></tr>
            </table>

            """
    }

    /// Returns the line below the cards: where the board is.
    private static func footer(_ message: SinkMessage) -> String {
        guard let link = message.link?.escapedForHTML else { return "" }
        let (one, digest) = message.language == .ko ? ("자세히 보기", "박스오피스 보기") : ("See more", "Open the box office")
        let text = message.alerts.count > 1 ? digest : one
        return """
            <p style="margin:16px 0 0;font-size:14px;line-height:20px">\
            <a class="link" href="\(link)" style="color:#0b6e5f">\(text)</a></p>

            """
    }
}
