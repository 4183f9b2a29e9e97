import Text

/// The path below which a reverse proxy shows the board: `/` or a path such as `/marquee/`.
public struct BasePath: Hashable, Sendable, CustomStringConvertible {
    /// The path, with a slash at both ends.
    public let description: String

    /// The root of the host.
    public static let root = BasePath(unchecked: "/")

    private init(unchecked text: String) {
        description = text
    }

    /// Makes a path of ASCII letters, digits, `-`, `_`, `.` and slashes; nil if `text` has anything else in it.
    ///
    /// - Parameter text: Begins with a slash; the slash at its end may be left out. `.` and `..` are not allowed.
    public init?(_ text: String) {
        let parts = text.parts(between: "/")
        let isPlain = parts.allSatisfy { part in
            part != "." && part != ".."
                && part.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_.".utf8.contains($0) }
        }
        guard text.hasPrefix("/"), isPlain else { return nil }
        self.init(unchecked: parts.isEmpty ? "/" : "/\(parts.joined(separator: "/"))/")
    }

    /// Returns the part of a request's path after the base path, without a slash before it.
    ///
    /// Returns nil if the path is not below the base path.
    func relativePath(of path: String) -> Substring? {
        if path.hasPrefix(description) { return path.dropFirst(description.count) }
        return path + "/" == description ? "" : nil
    }
}
