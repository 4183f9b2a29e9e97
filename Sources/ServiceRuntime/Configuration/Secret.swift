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
