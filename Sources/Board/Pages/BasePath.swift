/// Where the board lies below a proxy's address: `/` or a path such as `/marquee/`.
public struct BasePath: Hashable, Sendable, CustomStringConvertible {
    /// The path, with a slash at both ends.
    public let description: String

    /// The proxy's whole address.
    public static let root = BasePath(unchecked: "/")

    private init(unchecked text: String) {
        description = text
    }

    /// Makes a path of letters, digits, `-`, `_`, `.` and slashes; a slash at its end may be left out.
    public init?(_ text: String) {
        let parts = text.split(separator: "/")
        let isPlain = parts.allSatisfy { part in
            part != "." && part != ".."
                && part.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                        true
                    default: false
                    }
                }
        }
        guard text.hasPrefix("/"), isPlain else { return nil }
        self.init(unchecked: parts.isEmpty ? "/" : "/\(parts.joined(separator: "/"))/")
    }

    /// What follows the base in a request's path, without a slash at its beginning; nil if the path lies elsewhere.
    func rest(of path: String) -> Substring? {
        if path.hasPrefix(description) { return path.dropFirst(description.count) }
        return path + "/" == description ? "" : nil
    }
}
