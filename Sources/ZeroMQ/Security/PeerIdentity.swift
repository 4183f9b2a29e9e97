/// Who sent a message, as far as libzmq tells.
public final class PeerIdentity: Sendable {
    /// The peer's network address, without its port; empty for a peer on the same machine that came over `ipc`.
    public let address: String
    /// The name that the peer was admitted under; nil if there is no encryption.
    public let name: String?

    /// Makes a sender.
    public init(address: String, name: String?) {
        self.address = address
        self.name = name
    }
}
