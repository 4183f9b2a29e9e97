import Testing

@testable import BoxOffice

@Suite struct MovieCodeTests {
    @Test(arguments: ["20234675", "2022B512", "2024A461", "00000000", "ZZZZZZZZ"])
    func eightDigitsAndCapitalsAreACode(text: String) throws {
        let code = try #require(MovieCode(text))
        #expect(code.description == text)
        #expect(try jsonText(code) == "\"\(text)\"")
        #expect(try roundTrip(code) == code)
    }

    @Test(arguments: [
        "", "2023467", "202346750", "2022b512", "2022 512", "2023467.", "2023467\n", "２０２３", "2022B51Ⅱ",
        "2023467\u{212A}",
    ])
    func anythingElseIsNone(text: String) {
        #expect(MovieCode(text) == nil)
    }

    @Test func jsonThatIsNoCodeIsRefused() {
        #expect(throws: DecodingError.self) { try readJSON(MovieCode.self, "20234675") }
        #expect(throws: DecodingError.self) { try readJSON(MovieCode.self, #""movie""#) }
    }
}
