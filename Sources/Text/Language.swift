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

    /// Returns the text in a language.
    public func text(in language: Language) -> String { language(ko, en) }

    /// The English text.
    public var description: String { en }
}
