import Glibc

/// The names in folders, which fsync(2) of a file does not write to the disk.
public enum DurableNames {
    /// Writes the names in the folder of a file to the disk: a new file, or its new name, then survives a power loss.
    ///
    /// - Returns: Whether that worked; if not, `errno` says why.
    public static func synchronizeFolder(of path: String) -> Bool {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        let (result, status) = (fsync(descriptor), errno)
        close(descriptor)
        errno = status
        return result == 0
    }
}
