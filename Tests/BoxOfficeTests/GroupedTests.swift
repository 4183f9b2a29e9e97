import BoxOffice
import Testing

@Suite struct GroupedTests {
    @Test(
        "numbers have a comma before every third digit",
        arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567"), (100_000, "100,000")])
    func grouping(number: Int, text: String) {
        #expect(number.grouped == text)
    }
}
