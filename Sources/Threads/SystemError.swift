internal import Glibc

/// A call of the operating system that failed; nothing was left behind, and it may succeed later.
public struct SystemError: Error, Sendable, CustomStringConvertible {
    /// The call: `eventfd`.
    public let function: String
    /// Why, as errno(3) has it.
    public let code: Int32

    /// One line: `eventfd: Too many open files (errno 24)`.
    public var description: String {
        "\(function): \(String(cString: strerror(code))) (errno \(code))"
    }
}
