import Testing

@testable import Text

@Suite("Percent-encoding and hexadecimal digits") struct PercentEncodingTests {
    @Test(
        "unreserved characters stay, all others are encoded, and decoding restores them",
        arguments: [
            ("a/b+C d", "a%2Fb%2BC%20d"), ("파묘 1&2", "%ED%8C%8C%EB%AC%98%201%262"), ("A-z.0_9~", "A-z.0_9~"), ("", ""),
        ])
    func texts(text: String, encoded: String) {
        #expect(text.percentEncoded == encoded)
        #expect(encoded.utf8.percentDecoded() == Array(text.utf8))
    }

    @Test("a percent sign without two hexadecimal digits is refused", arguments: ["%", "a%4", "%4g", "%%41", "%+1"])
    func malformed(text: String) {
        #expect(text.utf8.percentDecoded() == nil)
    }

    @Test("a plus is a space in form queries, and digits have either case")
    func plus() {
        #expect("a+b%2b%2B".utf8.percentDecoded(plusIsBlank: true) == Array("a b++".utf8))
        #expect("a+b".utf8.percentDecoded() == Array("a+b".utf8))
    }

    @Test("each byte has two lower-case digits, and digits of either case are decoded")
    func hex() {
        #expect(Hex.encode([0x00, 0x0F, 0xA5, 0xFF]) == "000fa5ff")
        for byte in UInt8.min...UInt8.max {
            for text in [Hex.encode([byte]), Hex.encode([byte]).uppercased()] {
                let digits = Array(text.utf8)
                #expect(digits.count == 2 && Hex.decode(digits[0], digits[1]) == byte)
            }
        }
        #expect(Hex.decode(UInt8(ascii: "0"), UInt8(ascii: "g")) == nil)
        #expect(Hex.decode(UInt8(ascii: "/"), UInt8(ascii: "0")) == nil)
    }
}
