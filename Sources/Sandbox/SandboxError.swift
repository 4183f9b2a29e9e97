public import WebServer

/// Why a sandbox did not start, or does not do what it was told.
public enum SandboxError: Error, Hashable, Sendable {
    /// The server did not start.
    case server(HTTPServerError)
    /// The folder of recorded responses cannot be read, or holds none.
    case noRecordings(path: String)
    /// A switch that there is not, or a value it cannot have; says which.
    case invalidSwitch(String)
}

extension SandboxError: CustomStringConvertible {
    /// One line for the operator.
    public var description: String {
        switch self {
        case .server(let error): error.description
        case .noRecordings(let path): "no recorded responses in '\(path)': it has neither kobis nor kakao files"
        case .invalidSwitch(let message): message
        }
    }
}
