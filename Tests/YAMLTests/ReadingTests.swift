import Testing
import Text
import YAML

/// Reads a text as `rules.yml`.
func read(_ text: String) throws -> Node? { try read(Array(text.utf8)) }

/// Reads bytes as `rules.yml`.
///
/// - Throws: all mistakes.
func read(_ text: [UInt8]) throws(ConfigurationDiagnosticsError) -> Node? {
    var diagnostics = ConfigurationDiagnosticsError()
    var document: Node?
    do throws(ConfigurationDiagnostic) {
        document = try Node.read(text, file: "rules.yml", &diagnostics)
    } catch {
        diagnostics.add(error)
    }
    guard diagnostics.diagnostics.isEmpty else { throw diagnostics }
    return document
}

@Suite("Reading a document")
struct ReadingTests {
    @Test("nodes know their position and path")
    func positions() throws {
        let document = try #require(
            try read("# rules\nrules:\n  rose: {threshold: 5}\n  films: [\"20240001\", '파묘']\n"))
        var error = ConfigurationDiagnosticsError()
        let rules = try document.fields(["rules"], &error).required("rules").fields(["rose", "films"], &error)
        let threshold = try #require(try rules["rose"]?.fields(["threshold"], &error)["threshold"])
        #expect("\(threshold.position) \(threshold.path)" == "rules.yml:3:21 rules.rose.threshold")
        #expect(try threshold.integer(in: 1...9) == 5)
        let films = try rules.required("films").list()
        #expect(try films.map { node throws(ConfigurationDiagnostic) in try node.text() } == ["20240001", "파묘"])
        #expect(films[1].path == "rules.films[1]")
        #expect(films[1].position.column == 23)
        #expect(error.diagnostics.isEmpty)
    }

    @Test("text without a document has no node", arguments: ["", "\n", "# nothing\n"])
    func empty(text: String) throws {
        #expect(try read(text) == nil)
    }

    @Test(
        "duplicate keys, aliases, anchors, tags and second documents are refused",
        arguments: [
            ("a: &x 1\nb: *x\n", "1:4: a: anchors (&name) are not supported; write the value out"),
            ("a: *x\n", "1:4: a: aliases (*name) are not supported; write the value out"),
            ("? *x\n: 1\n", "1:3: a key must be text, not a list, a mapping or an alias"),
            ("a: !!int 1\n", "1:4: a: tags (!name) are not supported; remove it"),
            ("a: 1\nb: 2\na: 3\n", "3:1: a: duplicate key; it is already on line 1"),
            ("a: 1\n---\nb: 1\n", "2:1: a second document begins here; a file may hold only one"),
            ("[a]: 1\n", "1:1: a key must be text, not a list, a mapping or an alias"),
            ("a: [1\n", "1:4: the list that begins here lacks a comma between two elements, or its ]"),
            ("a: {b: 1\n", "1:4: the mapping that begins here lacks a comma between two keys, or its }"),
            ("a: \"x\nb: 2\n", "1:4: the quotes that begin here are not closed"),
            ("a: 1\nb\n", "2:1: a key is followed by a colon and a blank, as in 'lead: true'"),
            ("a:\n\u{3000}b: 1\n", "2:1: U+3000 stands before the key; indent with usual blanks"),
            ("a:\n\u{A0}b: 1\n", "2:1: U+00A0 stands before the key; indent with usual blanks"),
            ("a: 1\nb:\u{A0}2\n", "2:1: a key is followed by a colon and a blank, as in 'lead: true'"),
            (
                "a: 1\n  b: 2\n",
                "2:4: no key can begin here; indent keys alike, and put a text that contains ': ' into quotes"
            ),
            ("a: @x\n", "1:4: a text that begins with this character has to be in quotes"),
            ("a: \"\\d\"\n", #"1:5: in double quotes \ begins an escape sequence; write \\, or use apostrophes"#),
            ("a: \u{1}\n", "1:4: the file contains a control character here"),
            ("a: 1\n\tb: 2\n", "2:1: a tab is no indentation in YAML; use spaces"),
            ("a:\n\tb: 2\n", "2:1: a tab is no indentation in YAML; use spaces"),
            (
                "a: b: c\n",
                "1:5: no key can begin here; indent keys alike, and put a text that contains ': ' into quotes"
            ),
        ])
    func refused(text: String, message: String) {
        let error = #expect(throws: ConfigurationDiagnosticsError.self) { try read(text) }
        #expect(error?.diagnostics.first?.description == "rules.yml:\(message)")
    }

    @Test("all that is refused is told at once")
    func everything() throws {
        let error = try #require(throws: ConfigurationDiagnosticsError.self) {
            try read("a: &x 1\nb: !!int 2\na: 3\nc: *x\n---\nd: 1\n")
        }
        #expect(error.diagnostics.map(\.position.line) == [1, 2, 3, 4, 5])
    }

    @Test("signs that nobody sees change nothing where they mean nothing")
    func hidden() throws {
        let usual = try #require(try read("a:\n  b: x\n  c: ' y '\n"))
        let pasted = try #require(try read("\u{FEFF}a:\r\n  b: x\u{A0}\r\n  c: ' y '\r\n"))
        var error = ConfigurationDiagnosticsError()
        for document in [usual, pasted] {
            let inner = try document.fields(["a"], &error).required("a")
            let fields = try inner.fields(["b", "c"], &error)
            #expect(try fields.required("b").text() == "x")
            #expect(try fields.required("c").text() == " y ")
            #expect(try fields.required("b").position.description == "rules.yml:2:6")
        }
        #expect(error.diagnostics.isEmpty)
    }

    @Test("a file in UTF-16 is told from a damaged one")
    func otherEncoding() throws {
        let bytes: [UInt8] = [0xFF, 0xFE] + "a: 1\n".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), 0] }
        let error = try #require(throws: ConfigurationDiagnosticsError.self) { try read(bytes) }
        #expect(error.description == "rules.yml:1:1: the file is in UTF-16; save it in UTF-8")
    }

    @Test("bytes that are not UTF-8 are reported with their position")
    func bytes() throws {
        let error = try #require(throws: ConfigurationDiagnosticsError.self) {
            try read(Array("a: 1\n파: ".utf8) + [0xff])
        }
        #expect(error.description == "rules.yml:2:4: the file is not in UTF-8")
    }

    @Test("a document may have the maximum size, and not a byte more")
    func size() throws {
        let room = Node.maximumSize - "a: ''".count
        #expect(try read("a: '\(String(repeating: "x", count: room))'") != nil)
        let longer = "a: '\(String(repeating: "x", count: room + 1))'"
        #expect(throws: ConfigurationDiagnosticsError.self) { try read(longer) }
    }

    @Test("a document may have the maximum depth, and not a level more")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try read(nested(Node.maximumDepth + 1)) != nil)
        #expect(throws: ConfigurationDiagnosticsError.self) { try read(nested(Node.maximumDepth + 2)) }
        #expect(throws: ConfigurationDiagnosticsError.self) { try read(String(repeating: "[", count: 200_000)) }
    }

    @Test("any prefix of a document, with any byte changed, gives a node or a diagnostic")
    func hostile() {
        let text = Array("a: [1, \"x\\u00e9\", {b: 'c'}]\nd: |\n  e\n# f\n\"g\": ~\n".utf8)
        for end in text.indices {
            _ = try? read(Array(text[..<end]))  // a diagnostic is as good as a node
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[end] = byte
                _ = try? read(changed)
            }
        }
    }
}
