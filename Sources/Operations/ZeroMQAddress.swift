/// Where a ZeroMQ socket is bound or connected: `tcp://host:port`, or `ipc://` and a path.
///
/// The host may be a name, an address or `*`, the port a number or `*`. Checked for its form only.
public struct ZeroMQAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address as it was given; its owner binds it.
    public let description: String

    /// Makes an address, or nothing if the text has another form.
    public init?(_ text: String) {
        if let path = text.dropping(prefix: "ipc://") {
            // sockaddr_un holds 108 bytes, the closing zero among them.
            guard (1...107).contains(path.utf8.count), !path.unicodeScalars.contains(where: \.isUnprintable) else {
                return nil
            }
        } else {
            guard let tcp = text.dropping(prefix: "tcp://"), let (host, port) = hostAndPort(tcp) else { return nil }
            guard !host.isEmpty, port == "*" || UInt16(port) != nil else { return nil }
        }
        description = text
    }

    /// The address for everybody who does not own it: where the owner listens everywhere, that is this machine.
    public var reachable: String {
        guard let tcp = description.dropping(prefix: "tcp://"), let (host, port) = hostAndPort(tcp) else {
            return description
        }
        return "tcp://\(reachableHost(host)):\(port)"
    }
}
