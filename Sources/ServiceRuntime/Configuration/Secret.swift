import Glibc
public import Text

/// A key or a password. Only `value` reveals it: descriptions, dumps and interpolations show `***`.
public struct Secret: Hashable, Sendable {
    /// The secret itself.
    public let value: String

    /// Makes a secret.
    public init(_ value: String) {
        self.value = value
    }

    /// Reads the secret in a file, without what editors and copying add around it: line ends, blanks, marks and quotes.
    ///
    /// - Parameter name: a variable; `NAME=` before the secret is removed, too.
    /// - Throws: an error that contains the path and no byte of the secret.
    public init(file path: String, assignedTo name: String? = nil) throws(SecretFileError) {
        let bytes: [UInt8]
        do throws(BoundedFileError) {
            bytes = try BoundedFile.contents(of: path, limit: 64 * 1024)
        } catch {
            let reason = error.text.text(in: .ko)
            throw SecretFileError(
                "\(path.quoted): 파일을 읽을 수 없습니다(\(reason)). 경로와 읽기 권한을 확인하세요", "cannot read \(path.quoted): \(error)")
        }
        guard !bytes.isUTF16 else {
            throw SecretFileError(
                "\(path.quoted): UTF-16으로 저장되어 있습니다. UTF-8로 저장하세요", "\(path.quoted) is in UTF-16, not in UTF-8")
        }
        let text = String(decoding: bytes, as: UTF8.self).unwrapped(assignedTo: name)
        guard !text.isEmpty else {
            throw SecretFileError("\(path.quoted): 빈 파일입니다. 값을 저장하세요", "\(path.quoted) is empty")
        }
        self.init(text)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `***`.
    public var description: String { Redactor.mark }
    /// Always `***`.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A secret that could not be read from its file.
public struct SecretFileError: BilingualError {
    /// The path and the reason.
    public let text: BilingualText

    init(_ ko: String, _ en: String) {
        text = BilingualText(ko, en)
    }
}

/// Reads small files whole: secrets, and files that people edit.
public enum BoundedFile {
    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - limit: the largest size in bytes.
    /// - Throws: `BoundedFileError` if a system call fails or the file is larger than `limit`.
    public static func contents(of path: String, limit: Int) throws(BoundedFileError) -> [UInt8] {
        // Without O_NONBLOCK, opening a FIFO that has no writer blocks for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw BoundedFileError(text: BilingualText(errno: errno)) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count < bytes.count {
            let (status, code) = bytes.withUnsafeMutableBytes { buffer in
                (read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count), errno)
            }
            if status < 0, code == EINTR { continue }
            guard status >= 0 else { throw BoundedFileError(text: BilingualText(errno: code)) }
            guard status > 0 else { return Array(bytes[..<count]) }
            count += status
        }
        throw BoundedFileError(text: BilingualText("\(limit)바이트 초과", "larger than \(limit) bytes"))
    }
}

/// A file that could not be read whole.
public struct BoundedFileError: BilingualError, Hashable, Sendable {
    /// The reason, without the path.
    public let text: BilingualText
}
