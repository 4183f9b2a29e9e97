import CMicrohttpd
import Concurrency

// libmicrohttpd (MHD) calls these on its own thread. They are free functions because a closure would inherit the
// isolation of its context and trap on MHD's thread.

extension HTTPServer {
    /// Starts MHD's thread, with all signals blocked.
    static func start(on socket: Int32, limits: Limits, context: UnsafeMutableRawPointer) -> OpaquePointer? {
        let inactivity = max(1, limits.inactivity.components.seconds)
        let limits = marquee_limits(
            connections: UInt32(clamping: limits.connections),
            connections_per_address: UInt32(clamping: limits.connectionsPerAddress),
            inactivity_seconds: UInt32(clamping: inactivity),
            connection_memory: limits.connectionMemory)
        return withSignalsBlocked { marquee_start(socket, limits, receive, begin, complete, notify, context) }
    }

    /// Returns the maximum size of a request's body, by its head.
    fileprivate func bodyLimit(
        of request: PendingRequest, method: String, headers: [(name: String, value: String)]
    ) -> Int {
        guard let target = request.target else { return limits.body }
        let head = WebRequest(method: method, path: target.path, query: target.query, headers: headers)
        return max(limits.body, bodyLimitOverride(head) ?? 0)
    }
}

/// Called when the request line has arrived: `target` is its undecoded target. MHD passes the returned pointer back as
/// `slot`.
private func begin(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    let target = target.flatMap { RequestTarget(String(cString: $0)) }
    return Unmanaged.passRetained(PendingRequest(target: target)).toOpaque()
}

/// Called when the head has arrived, with each part of the body, at the end of the body, and again once there is a
/// response.
private func receive(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ path: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ part: UnsafePointer<CChar>?,
    _ size: UnsafeMutablePointer<Int>?, _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context, let connection, let method, let size, let slot = slot?.pointee else { return .NO }
    let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
    let request = Unmanaged<PendingRequest>.fromOpaque(slot).takeUnretainedValue()

    if request.beginBody() {
        let headers = headers(of: connection)
        let limit = server.bodyLimit(of: request, method: String(cString: method), headers: headers)
        request.limitBody(to: limit)
        if let rejection = rejection(of: request, with: headers, limit: limit) {
            server.countMalformed()
            return rejection.queue(on: connection, closing: true)
        }
        if limit > server.limits.body {
            server.deadlines.start(marquee_descriptor(connection), within: server.limits.uploadDeadline)
        }
        return .YES
    }
    if size.pointee > 0 {
        request.append(UnsafeRawBufferPointer(start: part, count: size.pointee))
        size.pointee = 0
        return .YES
    }
    if let response = request.response {
        return response.queue(on: connection, closing: server.isStopping)
    }
    server.deadlines.end(marquee_descriptor(connection))
    guard let target = request.target else { return .NO }
    guard let body = request.takeBody() else {
        server.countMalformed()
        return WebResponse.tooLarge.queue(on: connection, closing: true)
    }
    let name = String(cString: method)
    let webRequest = WebRequest(
        method: name == "HEAD" ? "GET" : name, path: target.path, query: target.query,
        headers: headers(of: connection), body: body)
    return server.serve(webRequest, in: request, on: MHDPointer(pointer: connection))
        ? .YES : WebResponse.stopping.queue(on: connection, closing: true)
}

/// Called when the response is sent, or the connection has failed.
private func complete(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ reason: MHD_RequestTerminationCode
) {
    guard let context, let connection, let pointer = slot?.pointee else { return }
    slot?.pointee = nil
    let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
    let request = Unmanaged<PendingRequest>.fromOpaque(pointer).takeRetainedValue()
    // MHD answered an unreadable or too long head itself.
    if reason == .REQUEST_TERMINATED_WITH_ERROR, request.beginBody() { server.countMalformed() }
    server.finish(request)
    server.deadlines.start(marquee_descriptor(connection))
}

/// Called when a connection is accepted, and before one is closed.
private func notify(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ what: MHD_ConnectionNotificationCode
) {
    guard let context, let connection else { return }
    let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
    server.countConnections(what == .CONNECTION_NOTIFY_STARTED ? 1 : -1)
    if what == .CONNECTION_NOTIFY_STARTED {
        server.deadlines.start(marquee_descriptor(connection))
    } else {
        server.deadlines.end(marquee_descriptor(connection))
    }
}

/// Returns an error response if the request cannot be served by its head; nil if it can.
private func rejection(
    of request: PendingRequest, with headers: [(name: String, value: String)], limit: Int
) -> WebResponse? {
    guard request.target != nil else { return .text("cannot read the path or the query\n", status: 400) }
    let lengths = headers.filter { equalIgnoringCase($0.name, "Content-Length") }
    let encodings = headers.filter { equalIgnoringCase($0.name, "Transfer-Encoding") }
    // MHD 0.9.75 accepts these; servers that disagree on where a body ends allow request smuggling.
    guard lengths.count + encodings.count <= 1, !headers.contains(where: { $0.name.contains(" ") }) else {
        return .text("cannot tell where the body ends\n", status: 400)
    }
    if let length = lengths.first, (Int(length.value) ?? .max) > limit { return .tooLarge }
    return nil
}

private func headers(of connection: OpaquePointer) -> [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = []
    _ = withUnsafeMutablePointer(to: &headers) {
        MHD_get_connection_values(connection, .HEADER_KIND, appendHeader, $0)
    }
    return headers
}

private func appendHeader(
    _ headers: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
    _ value: UnsafePointer<CChar>?
) -> MHD_Result {
    guard let name, let headers = headers?.assumingMemoryBound(to: [(name: String, value: String)].self) else {
        return .NO
    }
    headers.pointee.append((String(cString: name), value.map { String(cString: $0) } ?? ""))
    return .YES
}
