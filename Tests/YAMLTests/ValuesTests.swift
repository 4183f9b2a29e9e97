import Testing
import Text
import YAML

@Suite("Reading a document's values")
struct ValuesTests {
    private enum Word: String, CaseIterable {
        case info
        case major
    }

    /// Returns the diagnostics of reading the value of `a: text` with `read`.
    private func diagnostics(_ text: String, _ read: (Node) throws(ConfigurationDiagnostic) -> Void) throws -> String {
        let document = try #require(try YAMLTests.read("a: \(text)\n"))
        var error = ConfigurationDiagnosticsError()
        let fields = try document.fields(["a"], &error)
        error.collect { () throws(ConfigurationDiagnostic) in try read(try fields.required("a")) }
        return error.description
    }

    @Test(
        "a whole number is plain digits in its range",
        arguments: [
            ("three", "'three' is not a whole number"), ("'3'", "the quoted text '3' is not a whole number"),
            ("3.5", "'3.5' is not a whole number"), ("", "an empty value is not a whole number"),
            ("[3]", "a list is not a whole number"),
            ("0", "0 is not between 1 and 10"), ("11", "11 is not between 1 and 10"),
            ("99999999999999999999", "'99999999999999999999' is not a whole number"),
        ])
    func integer(text: String, expected: String) throws {
        let found = try diagnostics(text) { node throws(ConfigurationDiagnostic) in _ = try node.integer(in: 1...10) }
        #expect(found == "rules.yml:1:\(text.isEmpty ? 3 : 4): a: \(expected)")
    }

    @Test("a flag is true or false, and nothing else", arguments: ["yes", "on", "True", "\"true\"", "{}"])
    func flag(text: String) throws {
        #expect(
            try diagnostics(text) { node throws(ConfigurationDiagnostic) in _ = try node.flag() }.hasSuffix(
                " is not true or false"))
    }

    @Test("for a wrong choice the diagnostic lists all choices")
    func choice() throws {
        let found = try diagnostics("big") { node throws(ConfigurationDiagnostic) in _ = try node.choice(of: Word.self)
        }
        #expect(found == "rules.yml:1:4: a: 'big' is not one of info, major")
    }

    @Test(
        "text stays as it was written, whatever it looks like", arguments: ["no", "0123", "2024-06-04", "1e3", "3"])
    func text(text: String) throws {
        let document = try #require(try YAMLTests.read(text))
        #expect(try document.text() == text)
    }

    @Test("control characters are escaped in diagnostics")
    func controlCharacters() throws {
        let found = try diagnostics("\"\\e[2J\\n\"") { node throws(ConfigurationDiagnostic) in
            _ = try node.choice(of: Word.self)
        }
        #expect(found == "rules.yml:1:4: a: '\\u{1B}[2J\\n' is not one of info, major")
    }

    @Test("all diagnostics are collected once each, in the order of the file")
    func collecting() throws {
        let document = try #require(try YAMLTests.read("rose: x\nrise: 1\nfell: y\n"))
        var error = ConfigurationDiagnosticsError()
        let fields = try document.fields(["rose", "fell", "lead"], &error)
        for key in ["fell", "rose", "fell", "lead"] {
            error.collect { () throws(ConfigurationDiagnostic) in _ = try fields.required(key).integer(in: 1...9) }
        }
        #expect(
            error.description == """
                rules.yml:1:1: lead is missing
                rules.yml:1:7: rose: 'x' is not a whole number
                rules.yml:2:1: rise: unknown key; did you mean rose?
                rules.yml:3:7: fell: 'y' is not a whole number
                """)
    }
}
