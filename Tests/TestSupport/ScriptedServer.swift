import Foundation

/// An HTTP server that sends exactly the bytes of a test, also invalid ones.
///
/// Each connection has its own thread, on which the script runs once for each request; it may block. The server closes
/// all connections with its last reference.
public final class ScriptedServer: Sendable {
    /// A received request.
    public struct Request: Sendable {
        /// The first line and the headers.
        public let head: String
        /// The body, of `Content-Length` bytes.
        public let body: String
        /// The number of its connection, from 1.
        public let connection: Int

        /// The method.
        public var method: String { String(head.prefix { $0 != " " }) }
        /// The path with the query.
        public var target: String { head.split(separator: " ").dropFirst().first.map(String.init) ?? "" }

        /// The value of a header.
        public subscript(name: String) -> String? {
            head.split(separator: "\r\n").dropFirst().first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The function that handles a request.
    public typealias Script = @Sendable (ScriptedExchange) -> Void

    /// The base URL, such as `http://127.0.0.1:40123`.
    public let url: String
    /// The requests as they arrive, for one reader.
    public let arrivals: AsyncStream<Request>
    private let listener: Int32
    private let log: Monitor<ServerLog>

    /// Starts a server on a free port.
    public init(address: String = "127.0.0.1", _ script: @escaping Script) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        guard inet_pton(AF_INET, address, &name.sin_addr) == 1 else { throw POSIXError(.EINVAL) }
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let status = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                bind(listener, name, size) == 0 && listen(listener, 256) == 0 && getsockname(listener, name, &size) == 0
            }
        }
        guard status else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        url = "http://\(address):\(UInt16(bigEndian: name.sin_port))"
        let (arrivals, continuation) = AsyncStream.makeStream(of: Request.self)
        self.arrivals = arrivals
        let log = Monitor(ServerLog())
        self.log = log
        Thread.detachNewThread { acceptConnections(listener, log, continuation, script) }
    }

    deinit {
        // Wakes the threads that block in accept and recv; each closes its own descriptor.
        shutdown(listener, Int32(SHUT_RDWR))
        log.withLock { log in
            log.isStopped = true
            for descriptor in log.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    /// The requests so far.
    public var requests: [Request] { log.withLock(\.requests) }
    /// The number of accepted connections so far.
    public var connections: Int { log.withLock(\.connections) }
    /// The maximum number of concurrent requests so far.
    public var peak: Int { log.withLock(\.peak) }
}

/// A request and its connection.
public final class ScriptedExchange: Sendable {
    /// The request.
    public let request: ScriptedServer.Request
    /// The number of the request on this server, from 1.
    public let number: Int
    private let descriptor: Int32
    private let log: Monitor<ServerLog>
    private let ending = Monitor(Ending.keep)
    private let isActive = Monitor(true)

    fileprivate enum Ending: Sendable {
        case keep
        case close
        case reset
    }

    fileprivate init(_ request: ScriptedServer.Request, _ number: Int, _ descriptor: Int32, _ log: Monitor<ServerLog>) {
        self.request = request
        self.number = number
        self.descriptor = descriptor
        self.log = log
    }

    fileprivate var end: Ending { ending.withLock { $0 } }

    /// Counts the request as finished. Called before its response is sent, because the peer may send the next at once.
    fileprivate func release() {
        let wasActive = isActive.withLock { isActive in
            defer { isActive = false }
            return isActive
        }
        if wasActive { log.withLock { $0.active -= 1 } }
    }

    /// Sends bytes. Returns false if the peer has closed the connection.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    /// Sends text unchanged.
    @discardableResult
    public func send(_ text: String) -> Bool {
        send(Array(text.utf8))
    }

    /// Sends a complete response that keeps the connection open.
    public func answer(_ body: [UInt8], status: Int = 200, headers: [String] = []) {
        release()
        let lines = ["HTTP/1.1 \(status) Scripted", "Content-Length: \(body.count)"] + headers
        send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    }

    /// Sends a complete response that keeps the connection open.
    public func answer(_ body: String = "", status: Int = 200, headers: [String] = []) {
        answer(Array(body.utf8), status: status, headers: headers)
    }

    /// Closes the connection after the script.
    public func close() {
        ending.withLock { $0 = .close }
    }

    /// Resets the connection after the script, so that the peer's next read fails.
    public func reset() {
        ending.withLock { $0 = .reset }
    }

    /// Blocks until the peer has closed the connection.
    public func waitForDisconnect() {
        while !hasDisconnected(within: -1) {}
    }

    /// Returns whether the peer closes the connection within `milliseconds`; -1 waits without a limit.
    public func hasDisconnected(within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, milliseconds) > 0 else { return false }
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) <= 0
    }

    /// Blocks until the server has had `count` concurrent requests, including this one.
    public func waitForPeak(_ count: Int) {
        log.wait { $0.peak >= count }
    }
}

/// A value behind a lock; a thread can block until it meets a condition.
///
/// `@unchecked Sendable` is sound because `value` is touched between lock and unlock of the condition alone.
public final class Monitor<Value>: @unchecked Sendable {
    private let condition = NSCondition()
    private var value: Value

    /// Makes a monitor.
    public init(_ value: sending Value) {
        self.value = value
    }

    /// Runs `body` with the value while no other thread can.
    public func withLock<Result>(_ body: (inout sending Value) throws -> sending Result) rethrows -> sending Result {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        return try body(&value)
    }

    /// Blocks the thread until `isWanted` is true for the value.
    public func wait(until isWanted: (Value) -> Bool) {
        condition.lock()
        defer { condition.unlock() }
        while !isWanted(value) { condition.wait() }
    }
}

/// The requests and connections of a server.
private struct ServerLog: Sendable {
    var requests: [ScriptedServer.Request] = []
    var connections = 0
    var open: Set<Int32> = []
    var active = 0
    var peak = 0
    var isStopped = false
}

private func acceptConnections(
    _ listener: Int32, _ log: Monitor<ServerLog>, _ arrivals: AsyncStream<ScriptedServer.Request>.Continuation,
    _ script: @escaping ScriptedServer.Script
) {
    defer {
        close(listener)
        arrivals.finish()
    }
    while true {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return }
        let connection = log.withLock { log -> Int? in
            guard !log.isStopped else { return nil }
            log.connections += 1
            log.open.insert(descriptor)
            return log.connections
        }
        guard let connection else {
            _ = close(descriptor)
            return
        }
        Thread.detachNewThread { serve(descriptor, connection, log, arrivals, script) }
    }
}

private func serve(
    _ descriptor: Int32, _ connection: Int, _ log: Monitor<ServerLog>,
    _ arrivals: AsyncStream<ScriptedServer.Request>.Continuation, _ script: ScriptedServer.Script
) {
    var ending = ScriptedExchange.Ending.keep
    while ending == .keep, let request = readRequest(descriptor, connection) {
        let number = log.withLock { log in
            log.requests.append(request)
            log.active += 1
            log.peak = max(log.peak, log.active)
            return log.requests.count
        }
        arrivals.yield(request)
        let exchange = ScriptedExchange(request, number, descriptor, log)
        script(exchange)
        exchange.release()
        ending = exchange.end
    }
    if ending == .reset {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }
    log.withLock { log in
        log.open.remove(descriptor)
        close(descriptor)
    }
}

private func readRequest(_ descriptor: Int32, _ connection: Int) -> ScriptedServer.Request? {
    var head: [UInt8] = []
    var byte: UInt8 = 0
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
        guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
        head.append(byte)
    }
    let text = String(decoding: head, as: UTF8.self)
    let bare = ScriptedServer.Request(head: text, body: "", connection: connection)
    var missing = bare["Content-Length"].flatMap { Int($0) } ?? 0
    var body: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while missing > 0 {
        let count = recv(descriptor, &piece, min(missing, piece.count), 0)
        guard count > 0 else { return nil }
        body += piece[..<count]
        missing -= count
    }
    return ScriptedServer.Request(head: text, body: String(decoding: body, as: UTF8.self), connection: connection)
}
