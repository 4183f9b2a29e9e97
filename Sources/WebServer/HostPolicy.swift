import Text

/// Which values of `Host` a server answers to, so that no page of another site reaches it under a name of its own.
///
/// By DNS rebinding a foreign page's name can lead to the server's address; the browser then takes both for one site. An IP
/// address cannot be rebound, and `localhost` only by who owns the machine.
///
/// See docs/decisions/strangers-at-the-board.md.
public struct HostPolicy: Sendable {
    /// Answers to every name.
    public static let any = HostPolicy(allowed: nil)

    /// The names in lower case; nil allows every name.
    private let allowed: Set<String>?
    private let openPaths: Set<String>

    private init(allowed: Set<String>?, openPaths: Set<String> = []) {
        self.allowed = allowed
        self.openPaths = openPaths
    }

    /// Answers to IP addresses, `localhost` and these names, each with any port.
    ///
    /// - Parameter openPaths: The paths that are answered under every name, because they tell nothing that a foreign page
    ///   must not read: a load balancer names the host as it likes.
    public init(names: [String], openPaths: Set<String> = []) {
        self.init(allowed: Set(names.map(Self.lowercased)).union(["localhost", ""]), openPaths: openPaths)
    }

    /// Returns the response that refuses a request; nil if the request is for this server and from its own pages.
    func rejection(of headers: [(name: String, value: String)], method: String, path: String) -> WebResponse? {
        guard let allowed, !openPaths.contains(path) else { return nil }
        // So asks HAProxy unless it is told a path. The answer to `OPTIONS` has no content that a foreign page could read.
        if method == "OPTIONS", path == "/" { return nil }
        // A client without a name for the server sends an empty one, or none with HTTP/1.0; a browser always has one.
        let host = headers.first { equalIgnoringCase($0.name, "Host") }?.value ?? ""
        guard let name = Self.name(in: host), ClientAddress(name) != nil || allowed.contains(Self.lowercased(name))
        else {
            return .text("unknown Host; the operator can name it in MARQUEE_BOARD_HOSTS\n", status: 421)
        }
        let origins = headers.filter { equalIgnoringCase($0.name, "Origin") }
        guard origins.allSatisfy({ Self.isOrigin($0.value, of: host) }) else {
            return .text("only this server's own pages may send this request\n", status: 403)
        }
        return nil
    }

    /// Returns the name or address before the port, without brackets and without the dot at the end of a whole name; nil for
    /// another form.
    private static func name(in host: String) -> String? {
        let bytes = Array(host.utf8)
        let (name, port): (ArraySlice<UInt8>, ArraySlice<UInt8>)
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            (name, port) = (bytes[1..<end], bytes[(end + 1)...])
        } else {
            let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
            let hasDot = end > 1 && bytes[end - 1] == UInt8(ascii: ".")
            (name, port) = (bytes[..<(hasDot ? end - 1 : end)], bytes[end...])
        }
        let isPort = port.first == UInt8(ascii: ":") && port.dropFirst().allSatisfy { $0.decimalDigit != nil }
        return port.isEmpty || isPort ? String(decoding: name, as: UTF8.self) : nil
    }

    /// Whether an origin is the host, by either scheme: a proxy may have ended TLS.
    private static func isOrigin(_ origin: String, of host: String) -> Bool {
        ["http://", "https://"].contains { Array(lowercased(origin).utf8) == Array(($0 + lowercased(host)).utf8) }
    }

    private static func lowercased(_ text: String) -> String {
        String(decoding: text.utf8.map(\.asciiLowercased), as: UTF8.self)
    }
}
