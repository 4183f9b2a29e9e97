import Glibc

/// Writes a line to standard error in one `write(2)`, so that lines of several threads and processes do not mix.
///
/// What cannot be written is lost: there is no place left to say so.
@Sendable public func writeToStandardError(_ line: [UInt8]) {
    var rest = line[...]
    while !rest.isEmpty {
        let (count, code) = rest.withUnsafeBytes { (write(STDERR_FILENO, $0.baseAddress, $0.count), errno) }
        if count < 0, code == EINTR { continue }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}
