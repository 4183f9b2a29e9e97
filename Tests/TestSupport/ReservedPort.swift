internal import Foundation
internal import Glibc

/// Returns a TCP port of 127.0.0.1 that no other test gets until this process ends, for an address that must be known
/// before a program binds it, as at a restart.
///
/// Wherever the program can choose, it does (`tcp://127.0.0.1:*`, `127.0.0.1:0`), or the socket is a file (`ipc://`). The port
/// lies below those that the system gives away by itself. `Tests/Harness/ports.py` is the same registry for Python.
public func reservePort() throws -> Int {
    let registry = "/tmp/marquee-ports"
    try FileManager.default.createDirectory(atPath: registry, withIntermediateDirectories: true)
    chmod(registry, 0o777)  // for other users, too; fails for all but the first, who has done it
    let range = try String(contentsOfFile: "/proc/sys/net/ipv4/ip_local_port_range", encoding: .utf8)
    let end = range.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) } ?? 32_768
    for port in 15_000..<end {
        // The lock ends with this process. Reading suffices for it: the file may be another user's.
        let lock = open("\(registry)/\(port)", O_CREAT | O_RDONLY | O_CLOEXEC, 0o666)
        if lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0, isFree(port) { return port }
        if lock >= 0 { close(lock) }
    }
    throw NoPortError()
}

private func isFree(_ port: Int) -> Bool {
    let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(probe) }
    // As servers do: connections of the process that had the port before may still be closing.
    var reuse: Int32 = 1
    setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    return withUnsafeBytes(of: &address) { bytes in
        bytes.withMemoryRebound(to: sockaddr.self) {
            bind(probe, $0.baseAddress, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
}

/// All ports of the registry are taken.
private struct NoPortError: Error {}
