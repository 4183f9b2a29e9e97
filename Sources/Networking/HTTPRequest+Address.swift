extension HTTPRequest {
    /// The address as it is sent, query included.
    var address: String {
        address(\.value.percentEncoded)
    }

    /// The address with each query item's value as `text` renders it.
    func address(_ text: (HTTPField) -> String) -> String {
        let location = url.prefix { $0 != "#" }
        var address = String(location).percentEncoded { $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}".utf8.contains($0) }
        var separator = location.contains("?") ? "&" : "?"
        for item in query {
            address += "\(separator)\(item.name.percentEncoded)=\(text(item))"
            separator = "&"
        }
        return address
    }

    /// The scheme, host and port: what "at most so many at once per host" counts by.
    var origin: String {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.prefix(3).joined(separator: "/").prefix { $0 != "?" && $0 != "#" }.lowercased()
    }

    /// Why this can not be sent at all, or nil.
    var mistake: String? {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        if scheme != "http" && scheme != "https" { return "only http and https are spoken here" }
        if origin.contains("@") { return "a name or password in the address would be seen wherever the address is" }
        // Far above what any server takes, far below what libcurl takes.
        if address.utf8.count > 65_536 { return "the address is longer than 64 KiB" }
        for header in headers where !header.isSendable { return "the header \(header.name) can not be sent" }
        return nil
    }

    /// Whether a header is set by the caller; `name` in small letters.
    func hasHeader(_ name: String) -> Bool {
        headers.contains { $0.name.lowercased() == name }
    }

    /// The redirects that are really followed.
    var redirectsFollowed: Int {
        !secrets.isEmpty || (query + headers).contains(where: \.isSecret) ? 0 : redirects
    }
}
