import FoundationEssentials
import Testing

@testable import BoxOffice

@Suite struct PercentTests {
    @Test(arguments: [
        (0, "0"), (1, "0.1"), (-1, "-0.1"), (162, "16.2"), (980, "98"), (-75, "-7.5"), (-430, "-43"),
        (20_882_410, "2088241"), (20_882_411, "2088241.1"), (9_007_199_254_740_991, "900719925474099.1"),
    ])
    func textAndJSONHaveTheDecimalOnlyIfThereIsOne(tenths: Int, text: String) throws {
        let percent = Percent(tenths: tenths)
        #expect(percent.description == text)
        #expect(try jsonText(percent) == text)
        #expect(try roundTrip(percent) == percent)
    }

    @Test func everyTenthGoesThroughJSONExactly() throws {
        let percents = (-2500...2500).map(Percent.init(tenths:))
        #expect(try roundTrip(percents) == percents)
        #expect(try jsonText(percents) == "[" + percents.map(\.description).joined(separator: ",") + "]")
    }

    @Test func jsonMayWriteAnIntegralPercentageWithADecimal() throws {
        #expect(try readJSON(Percent.self, "98.0") == Percent(tenths: 980))
        #expect(try readJSON(Percent.self, "-0.0") == Percent(tenths: 0))
    }

    @Test(arguments: [
        ("0", 0), ("16.2", 162), ("98.0", 980), ("-7.5", -75), ("-0.5", -5), ("-43", -430), ("2088241.1", 20_882_411),
    ])
    func digitsAreReadWithTheirSign(text: String, tenths: Int) {
        #expect(Percent(digits: text.utf8.span)?.tenths == tenths)
        #expect(Percent(text)?.tenths == tenths)
    }

    @Test(arguments: ["", "-", ".5", "16.25", "1e3", "--1", "1234567890123"])
    func digitsThatAreNoPercentageOrTooManyAreLeftToTheSlowReader(text: String) {
        #expect(Percent(digits: text.utf8.span) == nil)
    }

    @Test(arguments: ["16.25", "1e30", "-1e30", "\"16.2\"", "true"])
    func jsonThatIsNoPercentageIsRefused(text: String) {
        #expect(throws: DecodingError.self) { try readJSON(Percent.self, text) }
    }

    @Test func aDecimalThatIsNoNumberIsRefused() {
        #expect(Percent(Decimal.nan) == nil)
    }
}
