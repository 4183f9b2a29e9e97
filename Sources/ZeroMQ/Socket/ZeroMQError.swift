internal import CZMQ

/// The failure of a socket operation: the action, its subject and the reason.
public struct ZeroMQError: Error, Sendable, Hashable {
    /// The reasons that callers distinguish; the raw value is the code for metrics.
    public enum Reason: String, Sendable, Hashable {
        /// Another socket or program is bound to the address (EADDRINUSE).
        case addressInUse
        /// The address does not belong to this machine (EADDRNOTAVAIL, ENODEV).
        case addressNotAvailable
        /// The text is not a ZeroMQ address (EINVAL, EPROTONOSUPPORT, ENAMETOOLONG).
        case invalidAddress
        /// The program may not use the address (EACCES, EPERM).
        case accessDenied
        /// The process has no descriptor left, or the context no socket (EMFILE, ENFILE).
        case tooManySockets
        /// The socket is closed or its I/O thread is shut down (ETERM).
        case closed
        /// Any other reason; see `code`.
        case other
    }

    /// Why the action failed.
    public let reason: Reason
    /// The action that failed, such as `bind`.
    public let action: String
    /// The address or socket that the action was for.
    public let subject: String
    /// The error number that libzmq reported, as in `errno`.
    public let code: Int32

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
