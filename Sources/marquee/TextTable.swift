/// Columns of text that stand under each other on a terminal, however wide their letters are.
struct TextTable {
    enum Alignment {
        case left
        case right
    }

    private let alignments: [Alignment]
    private var rows: [[String]] = []
    private var paints: [[(String) -> String]] = []

    /// Makes a table whose columns are aligned so.
    init(_ alignments: [Alignment]) {
        self.alignments = alignments
    }

    /// Adds a row; `paint` colours a cell after its width is known.
    mutating func add(_ cells: [String], paint: [Int: (String) -> String] = [:]) {
        rows.append(cells)
        paints.append(cells.indices.map { paint[$0] ?? { $0 } })
    }

    /// The rows as lines.
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
