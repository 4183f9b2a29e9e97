/// Where something stands in a file.
public struct SourcePosition: Hashable, Sendable, CustomStringConvertible {
    /// The file's name, as whoever reads it calls it.
    public let file: String
    /// The line, from 1.
    public let line: Int
    /// The column, from 1, in characters.
    public let column: Int

    /// Names a place.
    public init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// `rules.yml:12:9`, which editors and terminals know how to open.
    public var description: String { "\(file):\(line):\(column)" }
}
