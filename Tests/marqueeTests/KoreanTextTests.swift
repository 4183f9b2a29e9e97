import BoxOffice
import Contract
import Foundation
import Messaging
import OpenMarket
import ServiceRuntime
import Testing
import Text

@testable import Notifier
@testable import marquee

/// The texts of the command line and of the board: each is in its own language, apart from names and codes.
@Suite struct KoreanTextTests {
    /// Names that stand in Korean texts.
    static let names: Set<String> = [
        "marquee", "ZeroMQ", "API", "JSON", "CSV", "JPEG", "PNG", "SVG", "KST", "MB", "KiB", "MiB", "NEW", "KRW", "USD",
        "KOBIS", "Enter", "Tab", "SIGINT", "SIGTERM", "SIGHUP", "ID", "TLS", "URL", "HTTP", "SQLite", "PostgreSQL",
        "UTF8", "YAML", "MQ",
        "ASCII", "UTF", "RFC", "IP", "IPv4", "IPv6",
    ]

    /// Words that a user types and parts of the contract: those of commands, options, rules, streams and roles, and others.
    static let codes: Set<String> = {
        let usages = commands.map { $0.usage }
        let options = usages.flatMap(\.options).flatMap { [$0.name, $0.value ?? ""] }
        let rules = AlertRule.allCases.map(\.rawValue)
        let values = Contract.Stream.allCases.map(\.rawValue) + Role.allCases.map(\.rawValue)
        let words = usages.flatMap { [$0.name, $0.arguments] } + options + rules + values
        return words.reduce(into: others) { $0.formUnion(Self.words(of: $1)) }
    }()

    private static let others: Set<String> = [
        "COMMAND", "YYYYMMDD", "YYYY", "MM", "DD", "File", "base64", "data", "en", "false", "heartbeat", "help",
        "http", "https", "id", "ko", "language", "none", "off", "on", "true", "wal", "whsec_", "words", "yes",
        "yesterday", "y", "N", "K", "F", "_FILE", "port", "mail", "example", "org",
    ]

    /// Returns the words in Latin letters; a regular expression takes a minute for the texts of all commands.
    static func words(of text: String) -> Set<String> {
        let words = text.split { !$0.isASCII || !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
        return Set(words.filter { $0.contains(where: \.isLetter) && !($0.first?.isNumber ?? true) })
    }

    /// Returns the words in Latin letters of a text in Korean, without its names, addresses, topics, environment variables,
    /// the values of a template, and what stands in backquotes to be typed as it is.
    static func latin(in text: String) -> Set<String> {
        var text = text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .map { $0 % 2 == 0 ? String($1) : " " }.joined()
        if text.contains("{") { text = text.replacing(/\{[^{}]*\}/, with: "") }
        let prose = text.split(whereSeparator: \.isWhitespace).filter { word in
            !word.contains { "/@".contains($0) } && !word.dropLast().contains(".")
        }
        return words(of: prose.joined(separator: " ")).subtracting(names).filter { !$0.hasPrefix("MARQUEE_") }
    }

    static func hasHangul(_ text: String) -> Bool {
        text.unicodeScalars.contains { (0xac00...0xd7a3).contains($0.value) }
    }

    // MARK: - Command line

    @Test("the Korean help of each command has no Latin word but names and codes")
    func help() throws {
        for command in commands {
            let other = Self.latin(in: Self.help(of: command, in: .ko)).subtracting(Self.codes)
            #expect(other.isEmpty, "\(command): \(other)")
            #expect(!Self.hasHangul(Self.help(of: command, in: .en)), "\(command)")
        }
    }

    private static func help(of command: any Subcommand.Type, in language: Language) -> String {
        Language.$current.withValue(language) { command.usage.help }
    }

    @Test("a process that does not answer under a name is reported with the address that can be written instead")
    func silentName() throws {
        let error = ResponseTimeoutError(["tcp://both:5551"])
        let addresses = try ["tcp://[fd00::5]:5551", "tcp://10.0.0.5:5551"].map { try #require(ZeroMQAddress($0)) }
        for language in Language.allCases {
            #expect(error.text(in: language) { _ in addresses }.contains("tcp://[fd00::5]:5551"))
            #expect(!error.text(in: language) { _ in [addresses[1]] }.contains("IPv"))
            #expect(!error.text(in: language) { _ in nil }.contains("IP"))
        }
        #expect(error.text(in: .ko) { _ in [] }.hasSuffix("IP 주소를 찾을 수 없습니다"))
        #expect(error.text(in: .en) { _ in [] }.hasSuffix("the name has no address"))
    }

    @Test("a failed request is reported in Korean, and its English only where the code does not say as much")
    func failures() {
        let fields = [nil, "date", "first", "last", "nation", "area", "code", "name", "price", "images", "images[2]"]
        for code in ContractError.Code.allCases {
            for field in fields {
                let lines = ContractError(code, "some English", field: field).text(in: .ko)
                let latin = Self.words(of: lines[0]).subtracting(Self.names.union(["areas", "images"]))
                #expect(latin == [code.rawValue], "\(lines)")
                #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("  원문: ") } && lines.count <= 2, "\(lines)")
            }
        }
        let range = ContractError(.dateOutOfRange, "charts reach from …", field: "date")
        #expect(range.text(in: .ko) == ["marquee: 2003-11-11부터 어제까지의 날짜를 지정하세요 (dateOutOfRange)"])
        #expect(range.text(in: .en) == ["marquee: dateOutOfRange: charts reach from … (date)"])
        let market = ContractError(.forbidden, "the service answered 403: 본인이 등록한 상품이 아닙니다.")
        #expect(market.text(in: .ko).last == "  원문: the service answered 403: 본인이 등록한 상품이 아닙니다.")
        let unknown = ContractError(.notFound, "the service has none").text(of: .fetchMovie, in: .ko)
        #expect(unknown == ["marquee: 영화진흥위원회에 등록되지 않은 영화 코드입니다 (notFound)"])
        // In an answer of a service, the field is a path of its own.
        #expect(ContractError(.upstreamInvalid, "x", field: "name").text(in: .ko).count == 2)
    }

    @Test("what the shop and the system refuse is said in Korean")
    func refusals() throws {
        let product = #expect(throws: ProductValidationError.self) { try ProductChange(name: "ab") }
        #expect(product?.text(in: .ko) == "상품명은 3자 이상이어야 합니다")
        #expect(product?.text(in: .en) == "a name must have at least 3 characters")
        let key = #expect(throws: KeyError.self) { try KeyFolder("/proc/nowhere").makeServer("y") }
        #expect(key?.text(in: .ko) == "/proc/nowhere/clients: 파일을 만들 수 없습니다(없는 파일이나 폴더)")
        #expect(key?.text(in: .en) == "/proc/nowhere/clients cannot be created: No such file or directory")
    }

    // MARK: - Board

    /// The texts of the board, by name.
    private static func boardTexts() throws -> [(name: String, ko: String, en: String)] {
        let web = URL(filePath: #filePath).appending(path: "../../../Sources/Board/Web").standardized
        let files = try #require(FileManager.default.enumerator(at: web, includingPropertiesForKeys: nil))
        return try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "js" }.flatMap { file in
            try String(contentsOf: file, encoding: .utf8)
                .matches(of: /(?m)^  '?(?<name>[\w.]+)'?: \['(?<ko>[^']*)', '(?<en>[^']*)'\],/)
                .map { (String($0.name), String($0.ko), String($0.en)) }
        }
    }

    @Test("each text of the board is in its own language, apart from names and codes")
    func board() throws {
        let texts = try Self.boardTexts()
        #expect(texts.count > 300)
        for (name, ko, en) in texts where name != "language.switch" {
            // A command is typed as it is.
            let latin = Self.words(of: ko.replacing("marquee notify retry", with: "")).subtracting(Self.names)
            #expect(latin.isEmpty, "\(name): \(ko)")
            #expect(!Self.hasHangul(en), "\(name): \(en)")
        }
    }

    @Test("no text of the board has a particle behind a value, whose last sound it does not know")
    func particles() throws {
        let particle = /\{\d\}[”’〉)]*(?:[은는이가을를과와로]|으로|이?라|이?나)(?!\p{Hangul})/
        for (name, ko, _) in try Self.boardTexts() {
            #expect(!ko.contains(particle), "\(name): \(ko)")
        }
    }

    @Test("the board has words for each kind of request, stream, anomaly and week")
    func kinds() throws {
        let names =
            RequestTopic.allCases.map { "topic.\($0.rawValue)" }
            + Contract.Stream.allCases.map { "stream.\($0.rawValue)" }
            + Anomaly.Kind.allCases.map { "anomaly.\($0.rawValue)" } + Week.Span.allCases.map { "run.\($0.rawValue)" }
        #expect(Set(names).subtracting(try Self.boardTexts().map(\.name)).isEmpty)
    }
}
