import Glibc

/// A language of what people read; the raw value is its key in a rule file and in an alert's `text`.
public enum Language: String, CaseIterable, Sendable {
    case ko
    case en

    /// Returns the text in this language.
    public func callAsFunction(_ ko: String, _ en: String) -> String {
        self == .ko ? ko : en
    }
}

/// A text in both languages, for errors that are thrown before it is known who reads them: a terminal in its language, a
/// log in English.
public struct BilingualText: Hashable, Sendable, CustomStringConvertible {
    private let ko: String
    private let en: String

    /// Makes a text.
    public init(_ ko: String, _ en: String) {
        self.ko = ko
        self.en = en
    }

    /// Makes the system's reason, strerror(3); in Korean, a rare one is its number.
    public init(errno code: Int32) {
        let korean =
            switch code {
            case ENOENT: "없는 파일이나 폴더"
            case EACCES, EPERM: "권한 없음"
            case EROFS: "읽기 전용 파일 시스템"
            case ENOSPC, EDQUOT: "디스크 공간 부족"
            case ENOTDIR: "폴더가 아님"
            case EISDIR: "파일이 아니라 폴더임"
            case EEXIST: "이미 있음"
            case ENAMETOOLONG: "너무 긴 이름"
            case ELOOP: "순환하는 심볼릭 링크"
            case EIO: "입출력 오류"
            case ENOMEM: "메모리 부족"
            case EMFILE, ENFILE: "열린 파일이 너무 많음"
            case EAGAIN: "지금은 사용할 수 없음"
            case EADDRINUSE: "이미 사용 중인 주소"
            case EADDRNOTAVAIL: "이 컴퓨터에 없는 주소"
            default: "시스템 오류 \(code)"
            }
        self.init(korean, String(cString: strerror(code)))
    }

    /// Returns the text in a language.
    public func text(in language: Language) -> String { language(ko, en) }

    /// The English text.
    public var description: String { en }
}

/// An error that says in both languages what is wrong and what to do; `description` is in English.
public protocol BilingualError: Error, CustomStringConvertible {
    /// What is wrong.
    var text: BilingualText { get }
}

extension BilingualError {
    /// The English text.
    public var description: String { text.description }

    /// Returns the text in a language.
    public func text(in language: Language) -> String { text.text(in: language) }
}
