import Contract
import Foundation
import TestSupport
import Testing
import Text
import YAML

@testable import Notifier
@testable import marquee

/// The mistakes in rule files as a terminal shows them.
@Suite struct RuleMistakeTests {
    /// Rule files with mistakes in their structure.
    private static let structures = [
        "movies: &x [AAAAAAAA]", "movies: *x", "movies: !!seq [AAAAAAAA]", "movies: [AAAAAAAA]\nfilms: [BBBBBBBB]",
        "movies: [AAAAAAAA]\n---\nfilms: [BBBBBBBB]", "? [a]\n: 1", "movies: " + String(repeating: "[", count: 20),
        "movies: [AAAAAAAA", "rules: {lead: ", "rules: {lead: true", "titles: [\"x]", "rules:\n  lead:\n  left\n",
        "titles: a: b", "rules:\n  lead:\n left:\n", "movies:\n  - AAAAAAAA\n  titles: x", "titles: @x",
        #"titles: ["\d"]"#,
        "titles: [\u{1}]", "rules:\n\tlead:", "rules:\n\u{3000}lead:",
        String(repeating: "#", count: Node.maximumSize + 1),
    ]

    /// Rule files with mistakes in what they say of movies, markets and rules.
    private static let rules = [
        "market: [all]", "movies: 1", "movies: [1]", "movies: []", "titles: [' ']", "markets: [korea]",
        "markets: {a: b}",
        "rules: 5", "rules: lead", "rules: [lead]", "rules: {laed: }", "rules: {lead: maybe}",
        "rules: {lead: 'true'}", "rules: {rose: {by: three}}", "rules: {rose: {by: '3'}}", "rules: {rose: {by: }}",
        "rules: {rose: {by: [3]}}", "rules: {rose: {by: {a: 3}}}", "rules: {rose: {by: 0}}",
        "rules: {streak: {days: []}}", "rules: {streak: {days: [x]}}", "rules: {lead: {severity: big}}",
        "rules: {soldOut: {products: [x]}}", "rules: {soldOut: {names: ['']}}",
    ]

    /// Texts of a rule with a mistake.
    private static let texts = [
        "'{titel}'", "'[x'", "'x]'", "'{title'", "'x}'", #"'x\'"#, "'{title:x}'", "[a]", "",
    ].map { "rules: {lead: {text: {ko: \($0)}}}" }

    /// Sinks with a mistake.
    private static let sinks = [
        "a", "{a b: {kind: file, path: x}}", "{a: {kind: pigeon}}", "{a: {path: x}}", "{a: {kind: file}}",
        "{a: {kind: file, path: ~/x}}", "{a: {kind: file, path: ''}}", #"{a: {kind: file, path: "x\ny"}}"#,
        "{a: {kind: slack, url: x}}", "{a: {kind: slack}}", "{a: {kind: slack, url: 'https://x', urlFile: /x}}",
        "{a: {kind: slack, urlFile: /nowhere/x}}", "{a: {kind: slack, urlFile: /tmp}}",
        "{a: {kind: slack, urlFile: /dev/null}}", "{a: {kind: slack, urlFile: /dev/zero}}",
        "{a: {kind: webhook, url: 'https://x', secret: whsec_x!}}",
        "{a: {kind: telegram, token: x, chat: 1, url: x}}", "{a: {kind: mail, host: x, from: x, to: [x]}}",
        "{a: {kind: mail, host: x, to: []}}", "{a: {kind: mail, port: 0, security: x}}",
        "{a: {kind: mail, host: 'x:1'}}", "{a: {kind: slack, url: 'https://x:99999'}}",
        "{a: {kind: ntfy, topic: x, url: 'https://x/y'}}",
        "{a: {kind: ntfy, topic: x.y}}", "{a: {kind: file, path: '/x\u{A0}y'}}",
    ]

    /// Settings of a sink with a mistake.
    private static let settings = [
        "cooldown: 3", "quietHours: x", "digest: 9am", "rate: x", "attempts: 0", "language: fr", "severity: x",
        "rules: [leed]", "rules: all",
    ].map { "{a: {kind: standardOutput, \($0)}}" }

    /// The words of the format, which an author writes as they are.
    private static let format = Set(
        AlertRule.allCases.map(\.rawValue) + ConfiguredSink.kinds.flatMap { [$0.kind] + $0.keys } + [
            "movies", "titles", "markets", "rules", "kind", "rate", "info", "notable", "major", "ko", "en", "true",
            "false", "all", "nation", "K", "area", "URL", "words", "startTLS", "tls", "none", "http", "https", "api",
            "sh", "U", "telegram", "org", "title", "editor", "example", "whsec_", "base64", "UTF", "KiB",
        ])

    /// Reads a rule file with mistakes.
    private func mistakes(_ bytes: some Sequence<UInt8>) throws -> [ConfigurationDiagnostic] {
        try #require(throws: ConfigurationDiagnosticsError.self) {
            try RuleFile.read(Array(bytes), file: "rules.yml")
        }.diagnostics
    }

    @Test("a mistake is said in Korean, with no English but the words of the file and of its format")
    func korean() throws {
        let folder = try TemporaryFolder()
        try Data([0xff, 0xfe, 0x61, 0]).write(to: URL(filePath: folder.file("utf16")))
        try Data("a\u{1}b".utf8).write(to: URL(filePath: folder.file("control")))
        let secrets = ["utf16", "control"].map { "{a: {kind: slack, urlFile: \(folder.file($0))}}" }
        let sinks = (Self.sinks + Self.settings + secrets).map { "sinks: \($0)" }
        let files = Self.structures + Self.rules + Self.texts + sinks
        for text in files.map({ Array($0.utf8) }) + [[0xff, 0xfe, 0x61, 0], [0x61, 0xff]] {
            let file = String(decoding: text.prefix(300), as: UTF8.self)
            for mistake in try mistakes(text) {
                let message = mistake.message.text(in: .ko)
                let latin = KoreanTextTests.words(of: message)
                    .subtracting(KoreanTextTests.words(of: file)).subtracting(Self.format)
                #expect(latin.isEmpty && KoreanTextTests.hasHangul(message), "\(mistake.text(in: .ko))")
            }
        }
        let unreadable = #expect(throws: ConfigurationDiagnosticsError.self) { try RuleFile.read(path: "/nowhere") }
        #expect(
            unreadable?.text(in: .ko)
                == "/nowhere:1:1: 파일을 읽을 수 없습니다(없는 파일이나 폴더). 경로와 읽기 권한을 확인하세요")
    }

    @Test(
        "the Korean line has the same place and path, what is wrong, and what to write",
        arguments: [
            ("rules: {rose: {by: three}}", "1:20: rules.rose.by: 'three' 대신 정수를 쓰세요"),
            ("rules: {rose: {by: '3'}}", "1:20: rules.rose.by: 따옴표로 묶은 '3' 대신 정수를 쓰세요"),
            ("rules: {rose: {by: }}", "1:20: rules.rose.by: 값이 비어 있습니다. 정수를 쓰세요"),
            ("rules: {laed: }", "1:9: rules.laed: 알 수 없는 키입니다. 혹시 lead인가요?"),
            ("rules:\n\tlead:", "2:1: 탭으로는 들여쓸 수 없습니다. 공백을 쓰세요"),
            (
                "%YAML 9.9\n---\nrules: {lead: }",
                "1:1: 규칙 파일의 형식(YAML)에 맞지 않습니다. 원문: found incompatible YAML document"
            ),
        ])
    func lines(text: String, line: String) throws {
        #expect(try mistakes(text.utf8).map { $0.text(in: .ko) } == ["rules.yml:\(line)"])
    }
}
