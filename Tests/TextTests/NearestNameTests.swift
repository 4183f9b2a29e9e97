import Testing

@testable import Text

@Suite("Suggestions for misspelt names")
struct NearestNameTests {
    @Test("the nearest name takes the fewest edits, and is the first of equals")
    func nearest() {
        #expect(["entered", "left", "lead"].nearest(to: "entred") == "entered")
        #expect(["rose", "nose"].nearest(to: "hose") == "rose")
        #expect([].nearest(to: "rose") == nil)
        #expect(["entered"].nearest(to: "entred", within: 1) == "entered")
        #expect(["entered"].nearest(to: "left", within: 2) == nil)
    }

    @Test(
        "the distance between names counts insertions, removals, replacements and swaps",
        arguments: [("", "", 0), ("a", "", 1), ("KEY", "KYE", 1), ("KEY", "KEYS", 1), ("kitten", "sitting", 3)])
    func distance(one: String, other: String, edits: Int) {
        #expect(editDistance(one, other) == edits)
        #expect(editDistance(other, one) == edits)
    }
}
