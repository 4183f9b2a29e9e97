import Text

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
    public init(file path: String, assignedTo name: String? = nil) throws(FileError) {
        func failure(_ korean: String, _ english: String) -> FileError {
            FileError(text: BilingualText("\(path.quoted): \(korean)", english))
        }
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try BoundedFile.contents(of: path, limit: 64 * 1024)
        } catch {
            throw failure(
                "파일을 읽을 수 없습니다(\(error.text(in: .ko))). 경로와 읽기 권한을 확인하세요", "cannot read \(path.quoted): \(error)")
        }
        guard !bytes.isUTF16 else {
            throw failure("UTF-16으로 저장되어 있습니다. UTF-8로 저장하세요", "\(path.quoted) is in UTF-16, not in UTF-8")
        }
        let text = String(decoding: bytes, as: UTF8.self).unwrapped(assignedTo: name)
        guard !text.isEmpty else { throw failure("빈 파일입니다. 값을 저장하세요", "\(path.quoted) is empty") }
        self.init(text)
    }
}

extension Secret: CustomStringConvertible, CustomReflectable {
    /// Always `***`.
    public var description: String { Redactor.mark }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
