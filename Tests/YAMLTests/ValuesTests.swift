import Testing
import YAML

@Suite("Reading a document's values")
struct ValuesTests {
    private enum Word: String, CaseIterable {
        case info
        case major
    }

    /// What reading the value of `a: text` as something says is wrong.
    private func problem(_ text: String, _ read: (Node) throws(ConfigurationDiagnostic) -> Void) throws -> String {
        let document = try #require(try YAMLTests.read("a: \(text)\n"))
        var mistakes = ConfigurationDiagnosticsError()
        let fields = try document.fields(["a"], &mistakes)
        mistakes.gather { () throws(ConfigurationDiagnostic) in try read(try fields.required("a")) }
        return mistakes.description
    }

    @Test(
        "a whole number is plain digits in its range",
        arguments: [
            ("three", "'three' is no whole number"), ("'3'", "a text in quotes, '3', is no whole number"),
            ("3.5", "'3.5' is no whole number"), ("", "nothing is no whole number"),
            ("[3]", "a list is no whole number"),
            ("0", "0 is not between 1 and 10"), ("11", "11 is not between 1 and 10"),
            ("99999999999999999999", "'99999999999999999999' is no whole number"),
        ])
    func integer(text: String, expected: String) throws {
        let found = try problem(text) { node throws(ConfigurationDiagnostic) in _ = try node.integer(in: 1...10) }
        #expect(found == "rules.yml:1:\(text.isEmpty ? 3 : 4): a: \(expected)")
    }

    @Test("a number that is too small names the least")
    func least() throws {
        let found = try problem("0") { node throws(ConfigurationDiagnostic) in _ = try node.integer(from: 1) }
        #expect(found == "rules.yml:1:4: a: 0 is less than 1")
    }

    @Test("a flag is true or false, and no other word", arguments: ["yes", "on", "True", "\"true\"", "{}"])
    func flag(text: String) throws {
        #expect(
            try problem(text) { node throws(ConfigurationDiagnostic) in _ = try node.flag() }.hasSuffix(
                " is not true or false"))
    }

    @Test("a choice names the words there are")
    func choice() throws {
        let found = try problem("big") { node throws(ConfigurationDiagnostic) in _ = try node.choice(of: Word.self) }
        #expect(found == "rules.yml:1:4: a: 'big' is none of info, major")
    }

    @Test(
        "a text stays as it was written, whatever it looks like", arguments: ["no", "0123", "2024-06-04", "1e3", "3"])
    func text(text: String) throws {
        let document = try #require(try YAMLTests.read(text))
        #expect(try document.text() == text)
    }

    @Test("what a strange text does to a terminal does not reach the mistake")
    func strange() throws {
        let found = try problem("\"\\e[2J\\n\"") { node throws(ConfigurationDiagnostic) in
            _ = try node.choice(of: Word.self)
        }
        #expect(found == "rules.yml:1:4: a: '\\u{1B}[2J\\n' is none of info, major")
    }

    @Test("all mistakes are gathered, in the order of the file, each once")
    func gathering() throws {
        let document = try #require(try YAMLTests.read("rose: x\nrise: 1\nfell: y\n"))
        var mistakes = ConfigurationDiagnosticsError()
        let fields = try document.fields(["rose", "fell", "lead"], &mistakes)
        for key in ["fell", "rose", "fell", "lead"] {
            mistakes.gather { () throws(ConfigurationDiagnostic) in _ = try fields.required(key).integer() }
        }
        #expect(
            mistakes.description == """
                rules.yml:1:1: lead is missing
                rules.yml:1:7: rose: 'x' is no whole number
                rules.yml:2:1: rise: not known; did you mean rose?
                rules.yml:3:7: fell: 'y' is no whole number
                """)
    }
}
