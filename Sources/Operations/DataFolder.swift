import Glibc

/// The folder that a process keeps its databases in.
public struct DataFolder: Sendable {
    /// A folder that is not there and cannot be made.
    public struct DataFolderError: Error, CustomStringConvertible {
        let path: String
        let reason: String

        /// What cannot be made, why, and what to do.
        public var description: String {
            "the data folder \(path) cannot be made: \(reason); set MARQUEE_DATA to a folder that can be written"
        }
    }

    /// Where the folder is.
    public let path: String

    /// Makes the folder, and those above it, if it is not there.
    public init(_ path: String) throws(DataFolderError) {
        var part = path.hasPrefix("/") ? "" : "."
        for name in path.split(separator: "/") {
            part += "/\(name)"
            // Without asking first: between the question and the making, another process may have made it.
            if mkdir(part, 0o755) != 0, errno != EEXIST {
                throw DataFolderError(path: path, reason: String(cString: strerror(errno)))
            }
        }
        self.path = path
    }

    /// The path of a file in the folder.
    public func file(_ name: String) -> String {
        "\(path)/\(name)"
    }
}
