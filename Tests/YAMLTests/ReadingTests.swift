import Testing
import YAML

/// Reads a text as `rules.yml`.
func read(_ text: String) throws(ConfigurationDiagnostic) -> Node? {
    try Node.read(Array(text.utf8), file: "rules.yml")
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
            ("a: [1\n", "2:1: did not find expected ',' or ']', while parsing a flow sequence"),
            ("a: 1\n\tb: 2\n", "2:1: a tab is no indentation in YAML; use spaces"),
            ("a:\n\tb: 2\n", "2:1: a tab is no indentation in YAML; use spaces"),
            ("a: b: c\n", "1:5: mapping values are not allowed in this context"),
        ])
    func refused(text: String, message: String) {
        let diagnostic = #expect(throws: ConfigurationDiagnostic.self) { try read(text) }
        #expect(diagnostic?.description == "rules.yml:\(message)")
    }

    @Test("bytes that are not UTF-8 are reported with their position")
    func bytes() throws {
        let diagnostic = try #require(throws: ConfigurationDiagnostic.self) {
            try Node.read(Array("a: 1\n파: ".utf8) + [0xff], file: "rules.yml")
        }
        #expect("\(diagnostic.position)" == "rules.yml:2:4")
    }

    @Test("a document may have the maximum size, and not a byte more")
    func size() throws {
        let room = Node.maximumSize - "a: ''".count
        #expect(try read("a: '\(String(repeating: "x", count: room))'") != nil)
        #expect(throws: ConfigurationDiagnostic.self) { try read("a: '\(String(repeating: "x", count: room + 1))'") }
    }

    @Test("a document may have the maximum depth, and not a level more")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try read(nested(Node.maximumDepth + 1)) != nil)
        #expect(throws: ConfigurationDiagnostic.self) { try read(nested(Node.maximumDepth + 2)) }
        #expect(throws: ConfigurationDiagnostic.self) { try read(String(repeating: "[", count: 200_000)) }
    }

    @Test("any prefix of a document, with any byte changed, gives a node or a diagnostic")
    func hostile() {
        let text = Array("a: [1, \"x\\u00e9\", {b: 'c'}]\nd: |\n  e\n# f\n\"g\": ~\n".utf8)
        for end in text.indices {
            _ = try? Node.read(Array(text[..<end]), file: "rules.yml")  // a diagnostic is as good as a node
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[end] = byte
                _ = try? Node.read(changed, file: "rules.yml")
            }
        }
    }
}
