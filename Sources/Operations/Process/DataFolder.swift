import Glibc

/// The folder in which a process keeps its databases.
public struct DataFolder: Sendable {
    /// A folder that does not exist and could not be created.
    public struct DataFolderError: Error, CustomStringConvertible {
        let path: String
        let reason: String

        /// The path, the reason, and what to do.
        public var description: String {
            "cannot create the data folder \(path): \(reason); set MARQUEE_DATA to a folder that is writable"
        }
    }

    /// The path of the folder.
    public let path: String

    /// Creates the folder and its parents if they do not exist.
    public init(_ path: String) throws(DataFolderError) {
        var part = path.hasPrefix("/") ? "" : "."
        for name in path.split(separator: "/") {
            part += "/\(name)"
            // There is no check before mkdir: another process may create the folder in between.
            if mkdir(part, 0o755) != 0, errno != EEXIST {
                throw DataFolderError(path: path, reason: String(cString: strerror(errno)))
            }
        }
        self.path = path
    }

    /// Returns the path of a file in the folder.
    public func file(_ name: String) -> String {
        "\(path)/\(name)"
    }
}
