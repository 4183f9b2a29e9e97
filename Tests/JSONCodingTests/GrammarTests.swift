import FoundationEssentials
import TestSupport
import Testing

@testable import JSONCoding

@Suite(.ownThread) struct GrammarTests {
    @Test(
        "Valid JSON is read",
        arguments: [
            "{}", "[]", "0", "-0", "1.5e-3", "1E+2", #""""#, "true", "false", "null", " \n\t\r[1 , 2]\r\n", #"{"":{}}"#,
            #"{"a" : [ {} , [ ] , "b" ]}"#, #""\"\\\/\b\f\n\r\t\uD55C""#, "\u{FEFF}{}", #""한국 🎬""#, "[[[[]]]]",
        ])
    func isJSON(text: String) {
        #expect(throws: Never.self) { try JSONValue(parsing: Array(text.utf8)) }
        #expect(throws: Never.self) { try ComparableJSON(decoding: Data(text.utf8)) }
    }

    @Test(
        "Invalid JSON is refused",
        arguments: [
            "", " ", "{", "}", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{1:2}", #"{"a"}"#, #"{"a":}"#,
            #"{"a":1,}"#, #"{"a":1 "b":2}"#, #"{"a":1]"#, "[1}", #"""#, #""a"#, #""a\"#, #""a\""#, "tru", "True", "nul",
            "falsey", "NaN", "Infinity", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "0x10", "1-1", "'a'",
            "[1]x", "[1][2]", "{}\0", "/**/1", "1//", "\"\t\"", "{\"\u{1}\":0}", "\u{FEFF}", "\u{A0}1",
        ])
    func isNoJSON(text: String) {
        #expect(throws: DecodingError.self) { try JSONValue(parsing: Array(text.utf8)) }
    }

    @Test(
        "Invalid UTF-8 is refused anywhere in the text",
        arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xEA, 0xB0], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]],
        [
            #"{"a":1,"unread":"%"}"#, #"{"%":1}"#, #""\%""#, #""\\%""#, #""\n1234567%""#, #""%\n""#, #""한국1%한국""#, "%1",
            "[1,%2]",
        ])
    func isNoUTF8(bytes: [UInt8], text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
        #expect(throws: DecodingError.self) { try JSONValue(parsing: Array(parts[0]) + bytes + Array(parts[1])) }
    }

    @Test("Quotes, backslashes and control characters are found at every offset", arguments: 0..<20)
    func place(of special: Int) throws {
        let plain = Array(repeating: UInt8(ascii: "a"), count: special)
        for rest in 0..<20 {
            let behind = Array(repeating: UInt8(ascii: "b"), count: rest)
            let text = [0x22] + plain + Array(#"\""#.utf8) + behind + [0x22]
            #expect(try JSONValue(parsing: text).text().utf8.elementsEqual(plain + [0x22] + behind))
            for byte: UInt8 in [0x00, 0x1F, 0x22, 0xFF] {
                let text = [0x22] + plain + [byte] + behind + [0x22]
                #expect(throws: DecodingError.self) { try JSONValue(parsing: text) }
            }
            var written = JSONWriter(capacity: special)
            written.appendText(String(decoding: plain + [0x22, 0x1F, 0x7F] + behind, as: UTF8.self))
            #expect(written.bytes == [0x22] + plain + Array(#"\"\u001f"#.utf8) + [0x7F] + behind + [0x22])
        }
    }

    @Test("Values may be nested 512 deep, and no deeper", arguments: [("[", "]"), (#"{"a":"#, "}")])
    func depth(open: String, close: String) {
        func text(_ depth: Int) -> [UInt8] {
            Array((String(repeating: open, count: depth) + "0" + String(repeating: close, count: depth)).utf8)
        }
        #expect(throws: Never.self) { try JSONValue(parsing: text(512)) }
        #expect(throws: DecodingError.self) { try JSONValue(parsing: text(513)) }
        #expect(throws: DecodingError.self) {
            try JSONValue(parsing: Array(repeating: UInt8(ascii: "["), count: 1 << 20))
        }
    }

    @Test("An error has the reason and the offset, and no part of the text")
    func reason() {
        let error = #expect(throws: DecodingError.self) { try JSONValue(parsing: Array("[1,\u{1B}[2J".utf8)) }
        #expect(error?.summary.reason == "invalid JSON: expected a value at byte 3")
        #expect(error?.summary.path == [])
    }

    /// Texts that were broken at random: what is still accepted says the same to Foundation.
    @Test("Foundation accepts the same texts with the same values")
    func brokenAtRandom() throws {
        let texts = [
            #"{"list":[{"audiCnt":"26374","movieNm":"퓨리오사: \"매드\u0020맥스\"","rank":1},{"a":[-1.5e3,true,null]}],"b":{}}"#,
            #"[{"x":"\\"},["",[]],{"y":{"y":{"z":0.25}}},false,"끝"]"#,
        ].map { Array($0.utf8) }
        let pieces = Array(#"{}[]",:\0123456789.-+eEtrufalsn u한"#.utf8)
        var generator = SeededGenerator(seed: 7)
        var accepted = 0
        for round in 0..<20_000 {
            var text = texts[round % texts.count]
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                let place = Int.random(in: 0..<text.count, using: &generator)
                let piece = pieces.randomElement(using: &generator) ?? 0
                switch Int.random(in: 0...2, using: &generator) {
                case 0: text[place] = piece
                case 1: text.insert(piece, at: place)
                default: text.remove(at: place)
                }
            }
            // Most are refused; that they are is the other tests' subject.
            guard let ours = try? ComparableJSON(JSONValue(parsing: text)) else { continue }
            accepted += 1
            let theirs = try? ComparableJSON(decoding: Data(text))
            if theirs != ours { Issue.record("\(String(decoding: text, as: UTF8.self)): \(ours)") }
        }
        #expect(accepted > 1000)
    }
}
