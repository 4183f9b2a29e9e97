import Glibc

/// Files that are read whole: secrets, and what people configure.
public enum BoundedFile {
    /// Why a file could not be read.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The reason, without the path.
        public let description: String
    }

    /// Reads a file (`open`, `read`); one of more than `limit` bytes is refused.
    public static func contents(of path: String, limit: Int) throws(Failure) -> [UInt8] {
        // Without O_NONBLOCK a pipe that nobody writes to would hang the start.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Failure(description: String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count < bytes.count {
            let (status, code) = bytes.withUnsafeMutableBytes { buffer in
                (read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count), errno)
            }
            if status < 0, code == EINTR { continue }
            guard status >= 0 else { throw Failure(description: String(cString: strerror(code))) }
            guard status > 0 else { return Array(bytes[..<count]) }
            count += status
        }
        throw Failure(description: "larger than \(limit) bytes")
    }
}
