import Glibc

/// The reason why a server did not start.
public enum HTTPServerError: Error, Hashable, Sendable {
    /// The text is not a numeric address and port, such as `127.0.0.1:8590`, `0.0.0.0:80` or `[::1]:0`.
    case invalidAddress(String)
    /// The system rejected the address; `errno` is the reason.
    case cannotListen(address: String, errno: Int32)
    /// The address is bound, but the server's thread did not start (`MHD_start_daemon`).
    case cannotStart(address: String)

    /// Whether another process uses the address.
    public var isAddressInUse: Bool {
        if case .cannotListen(_, EADDRINUSE) = self { true } else { false }
    }
}

extension HTTPServerError: CustomStringConvertible {
    /// A one-line message for the operator.
    public var description: String {
        switch self {
        case .invalidAddress(let address):
            "cannot listen on '\(address)': not an IP address and a port, such as 127.0.0.1:8590 or [::1]:8590"
        case .cannotListen(let address, let errno):
            "cannot listen on \(address): \(String(cString: strerror(errno)))"
        case .cannotStart(let address):
            "cannot listen on \(address): the HTTP server's thread did not start"
        }
    }
}
