import Testing

@testable import marquee

/// The alignment of columns on a terminal.
@Suite struct ColumnsTests {
    @Test(
        "the width of a text counts wide characters twice and marks not at all",
        arguments: [
            ("", 0), ("abc", 3), ("파묘", 4), ("파묘 2", 6), ("\u{1111}\u{1161}\u{1106}\u{116D}", 4), ("カ", 2),
            ("ｶ", 1), ("é", 1), ("e\u{301}", 1), ("a\u{200B}b", 2), ("▲3", 2), ("😀", 2), ("가\n", 2), ("〈", 2),
            ("\u{1B}[1m가\u{1B}[0mm", 3), ("·", 1),
            ("\u{20000}", 2), ("，", 2),
        ])
    func columns(_ text: String, _ columns: Int) {
        #expect(text.columns == columns)
    }

    @Test("columns are aligned, and no line ends with spaces")
    func table() {
        let painted = "\u{1B}[31ma\u{1B}[0m"
        let rows = [["1", "파묘", "12,345", "first"], ["10", painted, "9", ""]]
        #expect(rows.aligned(right: [0, 2]) == [" 1  파묘  12,345  first", "10  \(painted)          9"])
    }

    @Test("a table without rows has its heads, if there are any")
    func empty() {
        #expect([Int]().table([.left("Rank") { "\($0)" }]) == ["Rank"])
        #expect([Int]().table([.left { "\($0)" }]) == [])
    }

    @Test("a text is wrapped at blanks by its width, and paragraphs stay apart")
    func wrapping() {
        #expect("one two\nthree\n\nfour".wrapped(columns: 9) == ["one two", "three", "", "four"])
        #expect("과거 데이터를 수집합니다".wrapped(columns: 13) == ["과거 데이터를", "수집합니다"])
        #expect("a longestword b".wrapped(columns: 5) == ["a", "longestword", "b"])
        let text = "one two three four five six seven eight"
        #expect(
            text.wrapped(after: "  --x", indent: 8, columns: 38) == [
                "  --x   one two three four five six", "        seven eight",
            ])
    }
}
