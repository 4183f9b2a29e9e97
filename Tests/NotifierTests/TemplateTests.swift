import Testing
import Text

@testable import Notifier

@Suite("Templates")
struct TemplateTests {
    private let figures: [String: TemplateValue] = [
        "title": .text("파묘"), "other": .text("서울의 봄"), "rank": .integer(1), "audience": .integer(1_234_567),
        "places": .integer(2), "one": .integer(1), "nothing": .null,
    ]

    private func text(_ template: String, in language: Language = .ko) throws -> String {
        try Template(template, in: language, names: figures.keys.sorted()).text { figures[$0] ?? .null }
    }

    @Test(
        "placeholders are replaced, with the matching particle or word",
        arguments: [
            ("{title:이/가} {rank}위", "파묘가 1위"), ("{other:을/를} 제치고", "서울의 봄을 제치고"),
            ("〈{other}〉{은/는}", "〈서울의 봄〉은"), ("〈{title}〉{와/과}", "〈파묘〉와"), ("{audience}명", "1,234,567명"),
            ("{rank}위{으로/로}", "1위로"), ("{audience:words}명", "123만 4,567명"), ("{one:으로/로}", "1로"),
            ("{places:place/places}, {one:place/places}", "2 places, 1 place"), ("\\{a\\}\\[b\\]", "{a}[b]"),
        ])
    func gaps(template: String, expected: String) throws {
        #expect(try text(template) == expected)
    }

    @Test(
        "a part in brackets appears only if all its figures are known; of alternatives, the first such appears",
        arguments: [
            ("a[ {rank}][ {nothing}]", "a 1"), ("[{nothing} x|{rank} y|{title}]", "1 y"),
            ("a[{nothing}|none]", "anone"),
            ("a {nothing} b", "a  b"), ("[{rank}[ {nothing}]]", "1"),
        ])
    func parts(template: String, expected: String) throws {
        #expect(try text(template) == expected)
    }

    @Test(
        "an invalid template is reported",
        arguments: [
            ("{titel}", "{titel} is not a value of this rule; did you mean {title}?"),
            ("{title", "'{' has no closing '}'"),
            ("[{title}", "'[' has no closing ']'"), ("a]", "']' has no opening bracket; write \\] for the sign itself"),
            ("a\\", "the text ends with a backslash; write \\\\ for the sign itself"),
            (
                "{title:이}",
                "':이' must be words, +, singular/plural or one of 이/가, 을/를, 은/는, 과/와, 으로/로, 이라/라"
            ),
        ])
    func diagnostics(template: String, problem: String) throws {
        let error = try #require(throws: TemplateError.self) { try text(template) }
        #expect(error.description == problem)
    }

    @Test(
        "large numbers are counted as each language does",
        arguments: [
            (10_000_000, "천만", "10 million"), (1_000_000, "100만", "1 million"), (20_000_000, "2천만", "20 million"),
            (1_500_000, "150만", "1.5 million"), (100_000_000, "1억", "100 million"), (12_345, "1만 2,345", "12,345"),
            (123_456_789, "1억 2,345만 6,789", "123,456,789"), (0, "0", "0"), (-30_000, "-3만", "-30,000"),
            (2_500_000_000, "25억", "2.5 billion"), (9_999, "9,999", "9,999"),
        ])
    func numerals(number: Int, ko: String, en: String) {
        #expect(LocalizedNumber.words(number, in: .ko) == ko)
        #expect(LocalizedNumber.words(number, in: .en) == en)
    }
}
