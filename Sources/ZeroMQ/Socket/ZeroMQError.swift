internal import CZMQ

/// Why something could not be done with a socket: what was being done, to what, and the reason beneath.
public struct ZeroMQError: Error, Sendable, Hashable {
    /// The reasons that callers tell apart; the raw value is the short code for metrics.
    public enum Reason: String, Sendable, Hashable {
        /// Another socket or program is bound to the address (EADDRINUSE).
        case addressInUse
        /// The address is none of this machine's (EADDRNOTAVAIL, ENODEV).
        case addressNotAvailable
        /// The text is no ZeroMQ address (EINVAL, EPROTONOSUPPORT, ENAMETOOLONG).
        case invalidAddress
        /// The program may not use the address (EACCES, EPERM).
        case accessDenied
        /// The process or the context has no room for another socket (EMFILE, ENFILE).
        case tooManySockets
        /// The socket is closed or its I/O thread shut down (ETERM).
        case closed
        /// Anything else; `code` and `detail` say what.
        case other
    }

    /// The reason, as callers tell it apart.
    public let reason: Reason
    /// What was being done: `bind`.
    public let action: String
    /// To which address or socket.
    public let subject: String
    /// The number beneath: `errno`, as libzmq reports it.
    public let code: Int32

    /// Whether the same call may succeed later without anybody changing anything.
    public var isRetryable: Bool {
        reason == .addressInUse || reason == .tooManySockets
    }

    init(_ action: String, _ subject: String, code: Int32) {
        self.action = action
        self.subject = subject
        self.code = code
        reason =
            switch code {
            case EADDRINUSE: .addressInUse
            case EADDRNOTAVAIL, ENODEV: .addressNotAvailable
            case EINVAL, EPROTONOSUPPORT, ENAMETOOLONG: .invalidAddress
            case EACCES, EPERM: .accessDenied
            case EMFILE, ENFILE: .tooManySockets
            case ETERM: .closed
            default: .other
            }
    }

    static func closed(_ action: String, _ subject: String) -> ZeroMQError {
        ZeroMQError(action, subject, code: ETERM)
    }
}

extension ZeroMQError: CustomStringConvertible {
    /// One line: `bind tcp://127.0.0.1:5550: address in use (errno 98)`.
    public var description: String {
        "\(action) \(subject): \(explanation) (errno \(code))"
    }

    private var explanation: String {
        switch reason {
        case .addressInUse: "address in use"
        case .addressNotAvailable: "not an address of this machine; bind takes *, an IP address or an interface"
        case .invalidAddress: "not a valid ZeroMQ address such as tcp://127.0.0.1:5550"
        case .accessDenied: "permission denied"
        case .tooManySockets: "too many sockets or files are open"
        case .closed: "closed"
        case .other: String(cString: zmq_strerror(code))
        }
    }
}
