public import FoundationEssentials

/// The recorded upstream responses in `Tests/Recordings`; its README describes them.
public enum Recorded {
    /// No response is recorded at a path.
    public struct MissingError: Error, CustomStringConvertible {
        /// The absolute path that has no file, or the folder that has no entry.
        public let path: String

        /// One line.
        public var description: String { "no recorded response at \(path)" }
    }

    /// The absolute path of `Tests/Recordings`, for `marquee sandbox --recorded`.
    ///
    /// - Throws: `MissingError` if nothing is there.
    public static var folder: String {
        get throws(MissingError) {
            _ = try files(in: "")
            return path
        }
    }

    /// Reads a recorded file.
    ///
    /// - Parameter file: its path in `Tests/Recordings`, such as `kobis/daily/20240604.json`
    /// - Throws: `MissingError` if it is not there or is empty.
    public static func data(_ file: String) throws(MissingError) -> Data {
        guard let data = FileManager.default.contents(atPath: "\(path)/\(file)"), !data.isEmpty else {
            throw MissingError(path: "\(path)/\(file)")
        }
        return data
    }

    /// Returns the sorted paths of the files and folders directly in `subfolder`, never none.
    ///
    /// - Throws: `MissingError` if there is none: a test over no files would pass.
    public static func files(in subfolder: String) throws(MissingError) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(subfolder)")) ?? []
        guard !names.isEmpty else { throw MissingError(path: "\(path)/\(subfolder)") }
        return names.sorted().map { "\(subfolder)/\($0)" }
    }

    /// Returns the lines of a `.jsonl` file, one response each.
    ///
    /// - Throws: `MissingError` if the file is not there or is empty.
    public static func lines(_ file: String) throws(MissingError) -> [Data] {
        try data(file).split(separator: UInt8(ascii: "\n")).map { Data($0) }
    }

    private static let path = URL(filePath: #filePath).appending(path: "../../Recordings").standardized.path
}
