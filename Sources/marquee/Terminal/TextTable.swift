/// A column of a table on a terminal.
struct Column<Row> {
    /// What stands above the cells; a table in which no column has a head begins with its first row.
    let head: String
    let isRight: Bool
    /// On a narrow terminal, columns of a higher number are left out before those of a lower one, and of 0 never.
    let extra: Int
    /// Makes the cell of a row; it may be painted.
    let cell: (Row) -> String

    static func left(_ head: String = "", extra: Int = 0, cell: @escaping (Row) -> String) -> Column {
        Column(head: head, isRight: false, extra: extra, cell: cell)
    }

    static func right(_ head: String = "", extra: Int = 0, cell: @escaping (Row) -> String) -> Column {
        Column(head: head, isRight: true, extra: extra, cell: cell)
    }
}

extension Sequence {
    /// Returns a table with a line for each element, below the heads of the columns.
    func table(_ columns: [Column<Element>]) -> [String] {
        let heads = columns.map(\.head)
        let rows = map { row in columns.map { $0.cell(row) } }
        return ((heads.allSatisfy(\.isEmpty) ? [] : [heads]) + rows)
            .aligned(right: Set(columns.indices.filter { columns[$0].isRight }))
    }
}

extension [[String]] {
    /// Returns the rows as lines, without trailing spaces. Columns are aligned, also for wide characters.
    func aligned(right: Set<Int> = []) -> [String] {
        let widths = (first ?? []).indices.map { column in map { $0[column].columns }.max() ?? 0 }
        return map { cells in
            var line = cells.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.columns)
                return right.contains(column) ? padding + cell : cell + padding
            }.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}

/// Returns a title and a table of names and values; a fact without values is omitted.
func factTable(_ title: String, _ facts: [(name: String, values: [String?])]) -> [String] {
    let rows = facts.flatMap { name, values in
        values.compactMap(\.self).enumerated().map { [TerminalColor.dim.paint($0 == 0 ? name : ""), $1] }
    }
    return [TerminalColor.bold.paint(title)] + rows.aligned()
}

extension String {
    /// The width of the text on a terminal, in columns: East Asian characters and emoji have two, combining marks and the
    /// codes of ``TerminalColor`` none.
    var columns: Int {
        var isCode = false
        return unicodeScalars.reduce(0) { sum, scalar in
            if scalar == "\u{1B}" { isCode = true }
            defer { if scalar == "m" { isCode = false } }
            return isCode ? sum : sum + scalar.columns
        }
    }

    /// Returns the paragraphs of the text, which empty lines separate, in lines of at most `limit` columns. Lines break at
    /// blanks; a word that is longer has a line of its own. An empty line is kept between paragraphs.
    func wrapped(columns limit: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for part in split(separator: "\n", omittingEmptySubsequences: false) {
            for word in part.split(separator: " ") {
                if !line.isEmpty, line.columns + 1 + String(word).columns > limit {
                    lines.append(line)
                    line = ""
                }
                line += line.isEmpty ? String(word) : " \(word)"
            }
            guard part.isEmpty else { continue }
            lines += [line, ""]
            line = ""
        }
        return lines + [line]
    }

    /// Returns the text in lines of at most `limit` columns that follow `head`, which is as wide as `indent` columns.
    func wrapped(after head: String, indent: Int, columns limit: Int) -> [String] {
        wrapped(columns: Swift.max(limit - indent, 30)).enumerated().map { index, line in
            let start = index == 0 ? head : ""
            return start + String(repeating: " ", count: indent - start.columns) + line
        }
    }

    /// Returns the longest start of the text that fits into a number of columns.
    func prefix(columns limit: Int) -> String {
        var columns = 0
        return String(
            prefix { character in
                columns += String(character).columns
                return columns <= limit
            })
    }
}

extension Unicode.Scalar {
    /// The ranges of wide and fullwidth characters (UAX 11), approximated by blocks.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1FAFF, 0x20000...0x3FFFD,
    ]

    /// Vowels and final consonants of decomposed Korean syllables; they have no width of their own.
    private static let laterJamo: ClosedRange<UInt32> = 0x1160...0x11FF

    fileprivate var columns: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: 0
        case _ where Self.laterJamo.contains(value): 0
        default: Self.wide.contains { $0.contains(value) } ? 2 : 1
        }
    }
}
