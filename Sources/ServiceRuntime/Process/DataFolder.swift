import FoundationEssentials
import Glibc
public import Text

/// The folder in which a process keeps its databases.
///
/// See docs/decisions/files-and-vendor-secrets.md.
public struct DataFolder: Sendable {
    /// A folder that does not exist and could not be created.
    public struct DataFolderError: BilingualError {
        let operation: String
        /// The folder, or the file in it.
        public let path: String
        /// The system's reason.
        public let reason: BilingualText

        /// The path, the reason, and what to do.
        public var text: BilingualText {
            BilingualText(
                "\(path): 쓰기가 불가능한 폴더나 파일입니다(\(reason.text(in: .ko))). 쓰기 가능한 폴더를 MARQUEE_DATA에 지정하세요",
                "cannot \(operation) \(path): \(reason); set MARQUEE_DATA to a folder that is writable")
        }
    }

    /// What the names of our files begin with, and the folder of `marquee up` without keys.
    private static let ownPrefixes = [
        "worker.db", "worker.log", "worker-seal.key", "worker-run", "notifier.db", "notifier.log", "board.db",
        "board.log",
        "images.db", "sandbox",
    ]
    private static let foreignRights: mode_t = 0o077

    /// The path of the folder.
    public let path: String

    /// Creates the folder and its parents if they do not exist; only their owner may enter new ones.
    public init(_ path: String) throws(DataFolderError) {
        var part = path.hasPrefix("/") ? "" : "."
        for name in path.split(separator: "/") {
            part += "/\(name)"
            // There is no check before mkdir: another process may create the folder in between.
            if mkdir(part, 0o700) != 0, errno != EEXIST {
                throw DataFolderError(
                    operation: "create the data folder", path: path, reason: BilingualText(errno: errno))
            }
        }
        self.path = path
    }

    /// Returns the path of a file in the folder.
    public func file(_ name: String) -> String {
        "\(path)/\(name)"
    }

    /// Throws unless this process may write the folder and each of our files in it.
    public func checkWritable() throws(DataFolderError) {
        for path in [path] + (contents() ?? []).filter(Self.isOwn).map(file) where access(path, W_OK) != 0 {
            throw DataFolderError(operation: "write", path: path, reason: BilingualText(errno: errno))
        }
    }

    /// The names of the files in the folder; nil if it cannot be listed.
    private func contents() -> [String]? {
        // The error says the same as nil.
        try? FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    private static func isOwn(_ name: String) -> Bool {
        ownPrefixes.contains { name.hasPrefix($0) }
    }

    // MARK: Permissions

    /// Takes the rights of the group and of others from our files, which a copy by hand may have, and logs each.
    ///
    /// The folder itself is narrowed only if nothing else is in it: it may be `/tmp` or somebody's home.
    public func narrowPermissions(logger: Logger) {
        // A folder that cannot be listed is none of ours.
        guard let names = contents() else { return }
        let own = names.filter(Self.isOwn)
        for name in own { Self.narrow(file(name), logger) }
        if own.count == names.count { Self.narrow(path, logger) }
    }

    private static func narrow(_ path: String, _ logger: Logger) {
        var status = stat()
        // Not through a link, which may lead to a file of somebody else.
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFLNK, status.st_mode & foreignRights != 0
        else { return }
        let mode = String(status.st_mode & 0o777, radix: 8)
        if chmod(path, status.st_mode & 0o7777 & ~foreignRights) == 0 {
            logger.warning("permissions narrowed: other users could read it", [.path: path, .status: mode])
        } else {
            logger.warning(
                "other users can read it, and its permissions cannot be changed: give it to the user of this process",
                [.path: path, .status: mode, .error: String(cString: strerror(errno))])
        }
    }
}

/// The space on the disk of a folder, in bytes.
public struct DiskSpace: Sendable {
    /// What a process without privileges can still write.
    public let free: Double
    /// The size of the disk.
    public let size: Double

    /// Asks the system; nil if it does not answer, for instance because the folder does not exist.
    public init?(ofFolder path: String) {
        var information = statvfs()
        guard statvfs(path, &information) == 0 else { return nil }
        let block = Double(information.f_frsize)
        (free, size) = (Double(information.f_bavail) * block, Double(information.f_blocks) * block)
    }

    /// Whether less than `reserve` bytes are free; on a small disk the reserve is no more than `largestPart` of it.
    public func isBelow(reserve: Double, largestPart: Double = 0.05) -> Bool {
        free < min(reserve, size * largestPart)
    }
}
