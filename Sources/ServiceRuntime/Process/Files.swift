import Glibc
public import Text

/// Reads small files whole: secrets, and files that people edit.
public enum BoundedFile {
    /// Reads a file; throws if a system call fails or the file is larger than `limit`.
    public static func contents(of path: String, limit: Int) throws(FileError) -> [UInt8] {
        // Without O_NONBLOCK, opening a FIFO that has no writer blocks for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileError(text: BilingualText(errno: errno)) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count < bytes.count {
            let (status, code) = bytes.withUnsafeMutableBytes { buffer in
                (read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count), errno)
            }
            if status < 0, code == EINTR { continue }
            guard status >= 0 else { throw FileError(text: BilingualText(errno: code)) }
            guard status > 0 else { return Array(bytes[..<count]) }
            count += status
        }
        throw FileError(text: BilingualText("\(limit)바이트 초과", "larger than \(limit) bytes"))
    }
}

/// A file that could not be read whole, or a secret that could not be read from its file.
public struct FileError: BilingualError, Hashable, Sendable {
    /// The reason; that of a secret begins with the path.
    public let text: BilingualText
}

/// The check that a file with a secret key can be read by its owner only, as ssh(1) checks its keys.
public enum PrivateFile {
    /// Returns why a file must not be used, and what to do; nil if it may be used, or does not exist.
    ///
    /// Rights of the group count only if the file belongs to the user of this process. A service manager may lend the
    /// file of another owner to one group (`root:marquee`, mode 0440); rights of all others count always.
    public static func problem(of path: String) -> BilingualText? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let refused: mode_t = status.st_uid == geteuid() ? 0o077 : 0o007
        guard status.st_mode & refused != 0 else { return nil }
        let mode = String(status.st_mode & 0o777, radix: 8)
        return BilingualText(
            "\(path): 다른 사용자가 읽을 수 있는 비밀 키 파일입니다(권한 \(mode)). `chmod 600 \(path)` 명령을 실행하세요",
            "\(path) holds a secret key and other users can read it (mode \(mode)): run `chmod 600 \(path)`")
    }
}

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
