import Testing
import Text

@Suite struct DigitsTests {
    @Test("digits are read as a number", arguments: ["0", "7", "007", "1234567890", "255"])
    func reading(text: String) {
        #expect(Int(digits: text.utf8.span) == Int(text))
        #expect(UInt64(digits: text.utf8.span) == UInt64(text))
        #expect(UInt8(digits: text.utf8.span) == UInt8(text))
    }

    @Test(
        "text with other characters, or a number that does not fit, gives nil",
        arguments: ["", "-1", "+1", " 1", "1a", "/", ":", "١"])
    func refusal(text: String) {
        #expect(Int(digits: text.utf8.span) == nil)
    }

    @Test("the largest number that fits is read, and the next is not")
    func limits() {
        #expect(Int(digits: "\(Int.max)".utf8.span) == .max)
        #expect(Int(digits: "9223372036854775808".utf8.span) == nil)
        #expect(UInt64(digits: "\(UInt64.max)".utf8.span) == .max)
        #expect(UInt64(digits: "18446744073709551616".utf8.span) == nil)
        #expect(UInt8(digits: "256".utf8.span) == nil && UInt8(digits: "260".utf8.span) == nil)
    }

    @Test(
        "a number has as many digits as its text",
        arguments: [0, 1, 9, 10, 99, 100, 9_999_999_999_999_999_999, 10_000_000_000_000_000_000, UInt64.max])
    func count(number: UInt64) {
        #expect(number.digitCount == "\(number)".count)
    }

    @Test("digits are padded with zeros, and leading digits without room are left out")
    func writing() {
        func text(_ number: UInt64, width: Int) -> String {
            String(utf8Capacity: 22) { output in
                output.append(UInt8(ascii: "<"))
                output.append(digitsOf: number, width: width)
                output.append(UInt8(ascii: ">"))
            }
        }
        #expect(text(42, width: 2) == "<42>")
        #expect(text(42, width: 4) == "<0042>")
        #expect(text(0, width: 1) == "<0>")
        #expect(text(2024, width: 2) == "<24>")
        #expect(text(.max, width: 20) == "<\(UInt64.max)>")
        #expect(text(7, width: 0) == "<>")
    }
}
