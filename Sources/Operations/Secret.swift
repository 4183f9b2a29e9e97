import Text

/// A key or password; only `value` tells it, no description, dump or interpolation does.
public struct Secret: Hashable, Sendable {
    /// The secret itself: hand it to what needs it, and to nothing else.
    public let value: String

    /// Makes a secret.
    public init(_ value: String) {
        self.value = value
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `***`.
    public var description: String { Redactor.mark }
    /// Always `***`.
    public var debugDescription: String { description }
    /// Shows no parts.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
