import Testing

@testable import Text

/// Strangers' texts where they are written. A combining mark makes one `Character` of it and what stands before it, and a
/// letter of the class Prepend one of it and what follows, which no comparison of characters finds.
@Suite("Strangers' texts are escaped by scalars") struct EscapingTests {
    @Test(
        "a cell of CSV is quoted, and no spreadsheet runs it",
        arguments: [
            ("파묘", "파묘"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("", ""),
            ("x\u{D4E}\",=1+1,\"\u{301}y", "\"x\u{D4E}\"\",=1+1,\"\"\u{301}y\""),
            ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@a", "'@a"), ("\t1", "'\t1"), ("\r1", "\"'\r1\""),
            ("\n=1", "\"'\n=1\""), ("\r\n=1", "\"'\r\n=1\""),
            ("＝1+1", "'＝1+1"), ("＋1", "'＋1"), ("－1", "'－1"), ("＠a", "'＠a"),
            ("\u{200B}=1", "'\u{200B}=1"), ("\u{FEFF}\u{202E}=1", "'\u{FEFF}\u{202E}=1"), (" =1", "' =1"),
            ("\u{2060}=1", "'\u{2060}=1"), ("=\u{301}1", "'=\u{301}1"), ("1=1", "1=1"), ("〈-〉", "〈-〉"),
        ])
    func csv(text: String, cell: String) {
        // Compared by bytes: Swift's strings are equal if they are canonically equivalent.
        #expect(Array(text.csvCell.utf8) == Array(cell.utf8))
    }

    @Test("Slack sees neither a mention nor a link")
    func slack() {
        let name = "sale \u{D4E}<!channel>\u{301} \u{D4E}<https://evil.example/|click here>\u{301} & @here"
        let escaped = name.escapedForSlack
        #expect(!escaped.utf8.contains(UInt8(ascii: "<")) && !escaped.utf8.contains(UInt8(ascii: ">")))
        #expect(escaped.utf8.starts(with: "sale \u{D4E}&lt;!channel&gt;".utf8))
        #expect(escaped.hasSuffix(" &amp; @\u{2060}here"))
    }

    @Test("Discord sees no Markdown, Telegram no mention")
    func chats() {
        #expect("[무료 쿠폰](https://evil.example/)".escapedForDiscord == "\\[무료 쿠폰\\](https://evil.example/)")
        #expect("\u{D4E}*a*\u{301} ||b|| <@1> \\".escapedForDiscord.unicodeScalars.filter { $0 == "\\" }.count == 10)
        #expect("〈파묘〉 1위, 60%".escapedForDiscord == "〈파묘〉 1위, 60%")
        #expect("@name a@\u{301}b".escapedForTelegram == "@\u{2060}name a@\u{2060}\u{301}b")
    }

    @Test(
        "a terminal gets no command",
        arguments: [
            ("\u{1B}]52;c;cHduZWQ=\u{7}", "\\u001b]52;c;cHduZWQ=\\u0007"), ("\u{1B}[2J", "\\u001b[2J"),
            ("\u{9B}2J", "\\u009b2J"), ("\u{202E}gpj.exe", "\\u202egpj.exe"), ("a\rb", "a\\u000db"),
            ("a\r\nb", "a\\u000d\nb"), ("a\tb\u{7F}", "a\\u0009b\\u007f"), ("파묘\n👩‍👧", "파묘\n👩‍👧"),
            ("\u{1B}[31m\u{1B}[31", "\u{1B}[31m\\u001b[31"),
        ])
    func terminal(text: String, shown: String) {
        let escaped = text.escapedForTerminal(keeping: ["\u{1B}[31m"])
        #expect(Array(escaped.utf8) == Array(shown.utf8))
    }

    @Test("without colours, a colour is a command like others")
    func colors() {
        #expect("\u{1B}[31m".escapedForTerminal() == "\\u001b[31m")
    }

    @Test(
        "names lose controls and marks that nobody sees",
        arguments: [
            ("\u{202E}gpj.exe", "gpj.exe"), ("파\u{200B}묘\u{FEFF}", "파묘"), ("\u{2067}a\u{2069}\u{61C}", "a"),
            ("a\u{200D}b\u{200F}", "ab"), (" \u{1B}[2J가\u{7}", "[2J가"), ("가\u{2028}나", "가 나"), ("파묘", "파묘"),
            ("파\u{AD}묘\u{2060}\u{3164}", "파묘"),
        ])
    func names(text: String, name: String) {
        #expect(Array(text.clean.utf8) == Array(name.utf8))
    }

    @Test("a text of lines keeps its lines")
    func lines() {
        #expect(Array("a\r\nb\u{1B}\r\u{202E}c\n".cleanLines.utf8) == Array("a\nb c\n".utf8))
        #expect("a\u{9B}\nb".onOneLine == "a  b")
        #expect("a\nb\r\nc\r".mailBytes == Array("a\r\nb\r\nc".utf8))
    }
}
