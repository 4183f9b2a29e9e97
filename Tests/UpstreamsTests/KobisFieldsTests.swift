import BoxOffice
import JSONCoding
import Testing

@testable import Upstreams

@Suite struct KobisFieldsTests {
    private func member(_ json: String) throws -> JSONValue? {
        try JSONValue(parsing: Array(#"{"x":\#(json)}"#.utf8))["x"]
    }

    private static let wholeNumbers: [(json: String, value: Int?)] = [
        (#""264355728""#, 264_355_728), (#""13090833414""#, 13_090_833_414), (#""-2004""#, -2004), (#""0""#, 0),
        (#""98.0""#, 98), (#""-54.00""#, -54), (#"" 12\t""#, 12), (#""+3""#, 3),
        (#""9223372036854775807""#, .max), (#""-9223372036854775808""#, .min),
        ("12", 12), ("12.0", 12), ("-3", -3), ("1e3", 1000),
        (#""""#, nil), (#"" ""#, nil), (#""\t""#, nil), (#""\u00a0""#, nil), (#""-""#, nil), (#"" - ""#, nil),
        ("null", nil),
    ]

    @Test(arguments: wholeNumbers)
    func wholeNumbersAreReadInEveryForm(json: String, value: Int?) throws {
        #expect(try member(json)?.wholeNumber(in: .min ... .max) == value)
    }

    @Test(arguments: [
        #""12a""#, #""1,234""#, #""12.5""#, #""9223372036854775808""#, #""--1""#, #""1.""#, #"".0""#, #""1.0.0""#,
        #""0x10""#, #""１２""#, #""1e3""#, "12.5", "1e30", "true", "[]", "{}", #""NaN""#, #""1 2""#,
    ])
    func anythingElseIsNotAWholeNumber(json: String) {
        #expect(throws: DecodingError.self) { try member(json)?.wholeNumber(in: .min ... .max) }
    }

    @Test("a number outside the range of its field cannot be read", arguments: [#""11""#, #""-11""#, "11", #""11.0""#])
    func outOfRange(json: String) {
        #expect(throws: DecodingError.self) { try member(json)?.wholeNumber(in: -10...10) }
    }

    @Test(
        "a year in which no movie can have been made is unknown",
        arguments: [
            (#""2024""#, 2024), (#""1880""#, 1880), (#""0""#, nil), (#""9223372036854775807""#, nil),
            (#""-9223372036854775808""#, nil),
        ] as [(String, Int?)])
    func years(json: String, year: Int?) throws {
        #expect(try member(json)?.year() == year)
    }

    private static let percentages: [(json: String, tenths: Int?)] = [
        (#""27.7""#, 277), (#""20.0""#, 200), (#""-43""#, -430), (#""-7.5""#, -75), (#""-0.5""#, -5), (#""0""#, 0),
        (#""-0.0""#, 0), (#""100.0""#, 1000), (#""2088241.0""#, 20_882_410), (#""16.20""#, 162), (#"" 3.4 ""#, 34),
        ("16.2", 162), ("98", 980), ("-0.1", -1), (#""""#, nil), (#"" ""#, nil), (#""-""#, nil), ("null", nil),
    ]

    @Test(arguments: percentages)
    func percentagesAreReadAsTenths(json: String, tenths: Int?) throws {
        #expect(try member(json)?.percentage() == tenths.map(Percent.init(tenths:)))
    }

    @Test(arguments: [#""16.25""#, #""16%""#, #""a""#, #""1.-5""#, #""9223372036854775807""#, "0.25", "false"])
    func anythingElseIsNotAPercentage(json: String) {
        #expect(throws: DecodingError.self) { try member(json)?.percentage() }
    }
}
