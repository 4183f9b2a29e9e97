import FoundationEssentials

/// An address that a stranger wrote, if it is one of the web.
struct WebAddress {
    private let url: URL

    /// Takes `http` and `https` alone; what may not stand in an address unencoded is percent-encoded.
    init?(_ text: String) {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = url.host(), !host.isEmpty
        else { return nil }
        self.url = url
    }

    /// The address as text.
    var text: String { url.absoluteString }

    /// What to try, in order: `https` in place of `http` first, then the address as it was written.
    ///
    /// Many hosts that are still linked to by `http` speak both, and a page shown by `https` may not show a picture
    /// that is not. An address with a port says where it is served, and how: it stays as it is.
    var alternatives: [String] {
        guard let scheme = url.scheme, scheme.lowercased() == "http", url.port == nil else { return [text] }
        return ["https" + text.dropFirst(scheme.count), text]
    }
}
