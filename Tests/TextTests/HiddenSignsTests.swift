import Testing
import Text

@Suite struct HiddenSignsTests {
    @Test(
        "a value is found in what was written for another reader",
        arguments: [
            ("value", "value"), (" value\r\n", "value"), ("\u{FEFF}value\n\n", "value"), ("\u{A0}a b\u{3000}", "a b"),
            ("\"value\"", "value"), ("' value '", "value"), ("NAME=value", "value"), ("\"NAME='value'\"", "value"),
            ("OTHER=value", "OTHER=value"), ("\"value", "\"value"), ("\"", "\""), ("''", ""), ("❤️", "❤️"),
            ("“value”", "value"), ("‘NAME=value’", "value"), ("“value", "“value"),
        ])
    func unwrapping(text: String, value: String) {
        #expect(text.unwrapped(assignedTo: "NAME") == value)
    }

    @Test("in a message hidden signs are shown by their numbers, and others as they are")
    func showing() {
        #expect("a\u{A0}b\u{200B}\r\n".visiblyQuoted == #""a\u{A0}b\u{200B}\r\n""#)
        #expect("파묘 \"2\"".visiblyQuoted == #""파묘 \"2\"""#)
        let names = (["\u{A0}", " ", "\r"] as [Unicode.Scalar]).map(\.hiddenName)
        #expect(names.map(\.description) == ["U+00A0", "a blank", "a line end"])
        #expect(names.map { $0.text(in: .ko) } == ["U+00A0", "공백", "줄 바꿈"])
    }
}
