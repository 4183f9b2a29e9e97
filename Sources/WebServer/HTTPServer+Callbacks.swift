import CMicrohttpd
import Concurrency
import Glibc
import Text

// libmicrohttpd (MHD) calls these on its own thread. They are free functions because a closure would inherit the
// isolation of its context and trap on MHD's thread.

extension HTTPServer {
    static func start(on socket: Int32, limits: Limits, context: UnsafeMutableRawPointer) -> OpaquePointer? {
        let inactivity = max(1, limits.inactivity.components.seconds)
        let limits = marquee_limits(
            connections: UInt32(clamping: limits.connections),
            connections_per_address: UInt32(clamping: limits.connectionsPerAddress),
            inactivity_seconds: UInt32(clamping: inactivity),
            connection_memory: limits.connectionMemory)
        return withSignalsBlocked { marquee_start(socket, limits, receive, begin, complete, notify, context) }
    }

    /// Returns the address of the client: the peer's, or what a proxy says of it.
    fileprivate func client(of connection: OpaquePointer) -> ClientAddress? {
        guard let peer = marquee_peer(connection).flatMap({ ClientAddress(peer: $0) }) else { return nil }
        guard proxies.contains(peer) else { return peer }
        let forwarded = headers(of: connection).filter { equalIgnoringCase($0.name, "X-Forwarded-For") }
        return ClientAddress.client(of: forwarded.map(\.value), from: peer, proxies: proxies)
    }

    fileprivate func bodyLimit(
        of request: PendingRequest, method: String, headers: [(name: String, value: String)]
    ) -> Int {
        guard let target = request.target else { return limits.body }
        let head = WebRequest(method: method, path: target.path, query: target.query, headers: headers)
        return max(limits.body, bodyLimitOverride(head) ?? 0)
    }
}

/// The name and value of the field that MHD parses in place of a request's cookies; its address tells it from theirs.
private var ownCookie: UnsafePointer<CChar> {
    UnsafeRawPointer(ownCookieText.utf8Start).assumingMemoryBound(to: CChar.self)
}
private let ownCookieText: StaticString = "Cookie"

/// Called when the request line has arrived: `target` is its undecoded target. MHD passes the returned pointer back as
/// `slot`.
private func begin(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    // MHD parses the first `Cookie`, which is now this one. It copies them, makes a record of each, and answers nothing if
    // they are many.
    if let connection { _ = MHD_set_connection_value(connection, .HEADER_KIND, ownCookie, ownCookie) }
    let length = target.map { strlen($0) } ?? 0
    let target = target.flatMap { RequestTarget(String(cString: $0)) }
    return Unmanaged.passRetained(PendingRequest(target: target, targetLength: length)).toOpaque()
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
        let fields = rawFields(of: connection)
        let headers = fields.map { ($0.name, $0.value) }
        let headSize = marquee_head_size(connection)
        let isStrict = isStrict(
            method: method, targetLength: request.targetLength, version: version, fields, headSize: headSize)
        guard headSize <= server.limits.head, hasRoom(on: connection, besides: headSize, of: server.limits) else {
            server.countMalformed()
            refuseHead(isOfTarget: request.targetLength > headSize / 2, on: marquee_descriptor(connection))
            return .NO
        }
        let limit = server.bodyLimit(of: request, method: String(cString: method), headers: headers)
        request.limitBody(to: limit)
        let isOld = version.map { String(cString: $0) } == "HTTP/1.0"
        if let rejection = rejection(of: request, isStrict: isStrict, isOld: isOld, with: headers, limit: limit)
            ?? server.hosts.rejection(
                of: request.target?.withHost(headers) ?? headers, method: String(cString: method),
                path: request.target?.path ?? "")
        {
            server.countMalformed()
            return rejection.queue(on: connection, closing: true)
        }
        let isUpload = limit > server.limits.body
        if !server.admitBody(of: request, bytes: contentLength(of: headers), isUpload: isUpload) {
            request.discardBody(answering: server.busyResponse)
        }
        if isUpload {
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
        server.countQueued(response, of: request, on: marquee_descriptor(connection))
        return response.queue(on: connection, closing: server.isStopping)
    }
    server.deadlines.end(marquee_descriptor(connection))
    guard let target = request.target else { return .NO }
    if let refusal = request.refusal { return refusal.queue(on: connection, closing: true) }
    let name = String(cString: method)
    let webRequest = WebRequest(
        method: name == "HEAD" ? "GET" : name, path: target.path, query: target.query,
        headers: target.withHost(headers(of: connection)), body: request.takeBody(),
        client: server.client(of: connection))
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

private func rejection(
    of request: PendingRequest, isStrict: Bool, isOld: Bool, with headers: [(name: String, value: String)], limit: Int
) -> WebResponse? {
    guard request.target != nil else { return .text("cannot read the path or the query\n", status: 400) }
    guard isStrict else { return .text("the head is not valid HTTP\n", status: 400) }
    // No client needs it, and servers that disagree on where a body ends allow request smuggling.
    guard !headers.contains(where: { equalIgnoringCase($0.name, "Transfer-Encoding") }) else {
        return .text("send the body with Content-Length, not with Transfer-Encoding\n", status: 501)
    }
    // HTTP/1.0 has no Host (RFC 9112, 3.2), and load balancers ask by it.
    let hosts = headers.count { equalIgnoringCase($0.name, "Host") }
    guard hosts == 1 || hosts == 0 && isOld else {
        return .text("a request must have one Host\n", status: 400)
    }
    let lengths = headers.filter { equalIgnoringCase($0.name, "Content-Length") }
    guard lengths.count <= 1,
        lengths.allSatisfy({ !$0.value.isEmpty && $0.value.utf8.allSatisfy { $0.decimalDigit != nil } })
    else {
        return .text("cannot determine where the body ends\n", status: 400)
    }
    if let length = lengths.first, (Int(length.value) ?? .max) > limit { return .tooLarge }
    return nil
}

private func contentLength(of headers: [(name: String, value: String)]) -> Int {
    headers.first { equalIgnoringCase($0.name, "Content-Length") }.flatMap { Int($0.value) } ?? 0
}

func headers(of connection: OpaquePointer) -> [(name: String, value: String)] {
    rawFields(of: connection).map { ($0.name, $0.value) }
}

// MARK: - Room for a response

/// Whether a connection's memory has room for the head of a response; without it MHD closes the connection silently.
///
/// MHD holds there the request's head in a buffer, and a record of 64 bytes of each value.
private func hasRoom(
    on connection: OpaquePointer, besides headSize: Int, of limits: HTTPServer.Limits
) -> Bool {
    let (buffer, responseHead) = (max(limits.connectionMemory / 2, headSize + 1_280), 2 << 10)
    let kinds: [MHD_ValueKind] = [.HEADER_KIND, .COOKIE_KIND, .GET_ARGUMENT_KIND]
    let values = kinds.map { Int(MHD_get_connection_values(connection, $0, nil, nil)) }.reduce(0, +)
    return buffer + 64 * values + responseHead <= limits.connectionMemory
}

/// Sends a response for which MHD has no room. It is the first that the socket sends for the request, and small enough for
/// the system's buffer.
private func refuseHead(isOfTarget: Bool, on descriptor: Int32) {
    let status = isOfTarget ? "414 URI Too Long" : "431 Request Header Fields Too Large"
    let response = "HTTP/1.1 \(status)\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
    _ = send(descriptor, response, response.utf8.count, Int32(MSG_NOSIGNAL))
}

// MARK: - Strictness

/// A header field, and where MHD has it.
private struct RawField {
    let name: String
    let value: String
    let start: UnsafePointer<CChar>
    let valueStart: UnsafePointer<CChar>
}

private func rawFields(of connection: OpaquePointer) -> [RawField] {
    var fields: [RawField] = []
    _ = withUnsafeMutablePointer(to: &fields) {
        MHD_get_connection_values(connection, .HEADER_KIND, appendField, $0)
    }
    return fields
}

private func appendField(
    _ fields: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
    _ value: UnsafePointer<CChar>?
) -> MHD_Result {
    guard let name, let fields = fields?.assumingMemoryBound(to: [RawField].self) else { return .NO }
    if name == ownCookie { return .YES }
    // A field without a value ends where its name ends.
    let valueStart = value ?? name + strlen(name)
    fields.pointee.append(
        RawField(
            name: String(cString: name), value: value.map { String(cString: $0) } ?? "", start: name,
            valueStart: valueStart))
    return .YES
}

/// Whether the head is as RFC 9112 has it: no byte that MHD has left out, each field a token and a value without controls,
/// each line ended by CR LF.
///
/// MHD 0.9.75 ends a line at a bare CR or LF, and a field at a zero byte, and says nothing of either. It parses in place,
/// so what it took away is the distance between what it found.
private func isStrict(
    method: UnsafePointer<CChar>, targetLength: Int, version: UnsafePointer<CChar>?, _ fields: [RawField],
    headSize: Int
) -> Bool {
    let methodLength = strlen(method)
    guard let version, isToken(method, methodLength), version - method == methodLength + 1 + targetLength + 1,
        ["HTTP/1.1", "HTTP/1.0"].contains(String(cString: version))
    else { return false }
    var end = version + 8
    for field in fields {
        let nameLength = strlen(field.start)
        let valueLength = strlen(field.valueStart)
        let gap = field.valueStart - (field.start + nameLength)
        guard field.start - end == 2, isToken(field.start, nameLength), gap >= 1,
            // The colon, which is a zero byte now, and white space.
            (1..<gap).allSatisfy({ [0x20, 0x09].contains(field.start[nameLength + $0]) }),
            (0..<valueLength).allSatisfy({ isFieldByte(UInt8(bitPattern: field.valueStart[$0])) })
        else { return false }
        end = field.valueStart + valueLength
    }
    // The last line's end and the empty line. MHD takes a line with an empty name for an empty line.
    return method + headSize - end == 4
}

/// Whether the bytes are a token (RFC 9110, 5.6.2).
private func isToken(_ text: UnsafePointer<CChar>, _ length: Int) -> Bool {
    length > 0
        && (0..<length).allSatisfy { index in
            let byte = UInt8(bitPattern: text[index])
            return byte.isASCIIAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
}

/// Whether the byte may be in a field's value: a tab, or no control character (RFC 9110, 5.5).
private func isFieldByte(_ byte: UInt8) -> Bool {
    byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
}
