/// A table with aligned columns on a terminal, also for wide characters.
struct TextTable {
    enum Alignment {
        case left
        case right
    }

    private let alignments: [Alignment]
    private var rows: [[String]] = []
    private var paints: [[(String) -> String]] = []

    init(_ alignments: [Alignment]) {
        self.alignments = alignments
    }

    /// Adds a row. `paint` colours cells by their index, without changing their width.
    mutating func add(_ cells: [String], paint: [Int: (String) -> String] = [:]) {
        rows.append(cells)
        paints.append(cells.indices.map { paint[$0] ?? { $0 } })
    }

    /// Returns a title and a table of names and values; a fact without values is omitted.
    static func facts(_ title: String, _ facts: [(String, [String])]) -> [String] {
        var table = TextTable([.left, .left])
        for (name, values) in facts {
            for (index, value) in values.enumerated() {
                table.add([index == 0 ? name : "", value], paint: [0: TerminalColor.dim.paint])
            }
        }
        return [TerminalColor.bold.paint(title)] + table.lines
    }

    /// The rows as lines, without trailing spaces.
    var lines: [String] {
        let widths = alignments.indices.map { column in rows.map { $0[column].columns }.max() ?? 0 }
        return zip(rows, paints).map { cells, paint in
            var line = cells.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - cells[column].columns)
                let cell = paint[column](cells[column])
                if alignments[column] == .right { return padding + cell }
                return column == cells.count - 1 ? cell : cell + padding
            }.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}

extension String {
    /// The width of the text on a terminal, in columns: East Asian characters and emoji have two, combining marks none.
    var columns: Int {
        unicodeScalars.reduce(0) { $0 + $1.columns }
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
