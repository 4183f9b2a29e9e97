public import Concurrency
import Glibc

/// Writes all bytes to a descriptor with write(2). Blocks while nobody reads them, also if the descriptor does not block.
///
/// - Throws: `SystemError` if write(2) fails; a part may have been written then.
public func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let (count, code) = rest.withUnsafeBytes { (write(descriptor, $0.baseAddress, $0.count), errno) }
        if count >= 0 {
            rest = rest.dropFirst(count)
        } else if code == EAGAIN {
            var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&state, 1, -1)
        } else if code != EINTR {
            throw SystemError(function: "write", code: code)
        }
    }
}
