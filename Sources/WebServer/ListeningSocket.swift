import Glibc
public import Text

/// A TCP socket that listens on one address. This type does not close it: `MHD_start_daemon` takes ownership.
struct ListeningSocket {
    /// What the system holds of a response that a client does not read, in bytes. Linux counts the double for its own
    /// structures. Without it the system takes up to 4 MB for each connection.
    static let sendBuffer = 128 << 10
    /// After this time the system drops what a client does not read, even if the connection is closed already.
    private static let sendTimeout = Duration.seconds(30)

    let descriptor: Int32
    /// The bound address, with the port that the system chose if port 0 was requested.
    let address: String

    /// Listens on `a.b.c.d:port` or `[v6]:port`; `[::]` accepts IPv4 clients too.
    init(address: String) throws(HTTPServerError) {
        guard let colon = address.lastIndex(of: ":"), let port = UInt16(address[address.index(after: colon)...]) else {
            throw .invalidAddress(address)
        }
        let host = String(address[..<colon])
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        defer { if let list { freeaddrinfo(list) } }
        // getaddrinfo takes `1.2.3` for an address, too.
        guard ClientAddress(host) != nil, host.hasPrefix("[") == host.contains(":"),
            getaddrinfo(host.filter { !"[]".contains($0) }, String(port), &hints, &list) == 0,
            let name = list?.pointee, let socketName = name.ai_addr
        else { throw .invalidAddress(address) }

        descriptor = socket(
            name.ai_family, name.ai_socktype | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .cannotListen(address: address, errno: errno) }
        if name.ai_family == AF_INET6 { Self.set(IPV6_V6ONLY, of: Int32(IPPROTO_IPV6), to: 0, on: descriptor) }
        // Without it a restart would have to wait for TIME_WAIT of old connections; it does not share an address that
        // is in use.
        Self.set(SO_REUSEADDR, of: SOL_SOCKET, to: 1, on: descriptor)
        // Accepted connections inherit both.
        Self.setSendBuffer(Self.sendBuffer, on: descriptor)
        Self.set(
            Int32(TCP_USER_TIMEOUT), of: Int32(IPPROTO_TCP), to: Int32(Self.sendTimeout.components.seconds * 1_000),
            on: descriptor)
        var length = name.ai_addrlen
        guard bind(descriptor, socketName, length) == 0, listen(descriptor, SOMAXCONN) == 0,
            getsockname(descriptor, socketName, &length) == 0
        else {
            let code = errno
            close(descriptor)
            throw .cannotListen(address: address, errno: code)
        }
        // Both families have the port at the same place.
        let bound = socketName.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_port }
        self.address = "\(host):\(UInt16(bigEndian: bound))"
    }

    static func setSendBuffer(_ size: Int, on descriptor: Int32) {
        set(SO_SNDBUF, of: SOL_SOCKET, to: Int32(size), on: descriptor)
    }

    private static func set(_ option: Int32, of level: Int32, to value: Int32, on descriptor: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}

/// The reason why a server did not start.
public enum HTTPServerError: BilingualError, Hashable {
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

    /// A one-line message for the operator.
    public var text: BilingualText {
        switch self {
        case .invalidAddress(let address):
            return BilingualText(
                "'\(address)' 주소를 열 수 없습니다. IP 주소와 포트를 지정하세요. 예: 127.0.0.1:8590, [::1]:8590",
                "cannot listen on '\(address)': not an IP address and a port, such as 127.0.0.1:8590 or [::1]:8590")
        case .cannotListen(let address, let errno):
            let reason = BilingualText(errno: errno)
            return BilingualText(
                "\(address) 주소를 열 수 없습니다(\(reason.text(in: .ko))). "
                    + (isAddressInUse ? "사용 중인 프로그램을 종료하거나 다른 주소를 지정하세요" : "다른 주소를 지정하세요"),
                "cannot listen on \(address): \(reason)")
        case .cannotStart(let address):
            return BilingualText(
                "\(address) 주소를 열 수 없습니다. 시스템의 프로세스 수 제한을 확인하세요",
                "cannot listen on \(address): the HTTP server's thread did not start")
        }
    }
}
