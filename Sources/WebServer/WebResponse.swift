import CMicrohttpd
import Glibc

/// A handler's response.
public struct WebResponse: Sendable {
    /// The body of a response.
    public enum Body: Sendable {
        /// A whole body; its length is announced.
        case bytes([UInt8])
        /// A whole body that other responses may send at the same time, from the same memory.
        case shared(SharedBytes)
        /// A body of unknown length that ends when it is ended or the client disconnects.
        case streaming(StreamingBody)
        /// A deliberate fault for tests: the response announces `announced` bytes, sends these, and closes the
        /// connection.
        case truncated([UInt8], announced: Int)
    }

    /// The status, 200 to 599.
    public var status: Int
    /// The media type of the body.
    public var contentType: String
    /// Additional header fields. The server sets `Content-Type`, `Content-Length`, `Connection` and `Date`.
    public var headers: [(name: String, value: String)]
    /// The body; not sent for `HEAD`.
    public var body: Body

    /// Creates a response.
    ///
    /// - Precondition: `status` is 200 to 599.
    public init(
        status: Int = 200, contentType: String, headers: [(name: String, value: String)] = [], body: Body
    ) {
        precondition((200...599).contains(status), "WebResponse.init: \(status) is not a final HTTP status")
        self.status = status
        self.contentType = contentType
        self.headers = headers
        self.body = body
    }

    /// Returns a response with a JSON document.
    public static func json(
        _ bytes: [UInt8], status: Int = 200, headers: [(name: String, value: String)] = []
    ) -> WebResponse {
        WebResponse(
            status: status, contentType: "application/json;charset=UTF-8", headers: headers, body: .bytes(bytes))
    }

    /// Returns a response with plain text.
    public static func text(_ text: String, status: Int = 200) -> WebResponse {
        WebResponse(status: status, contentType: "text/plain;charset=UTF-8", body: .bytes(Array(text.utf8)))
    }
}

// MARK: - Sending

extension WebResponse {
    static let tooLarge = text("the body is too large\n", status: 413)
    /// The response to a body for which there is no memory now.
    public static let busy = WebResponse(
        status: 503, contentType: "text/plain;charset=UTF-8", headers: [("Retry-After", "5")],
        body: .bytes(Array("the server receives as much as it has memory for; try again later\n".utf8)))
    static let stopping = text("the server is stopping\n", status: 503)

    /// Queues the response in MHD (`MHD_queue_response`). Called on MHD's thread only.
    ///
    /// If a header field is invalid, such as one with a line break, the response becomes a 500: leaving the field out
    /// would change its meaning.
    func queue(on connection: OpaquePointer, closing: Bool) -> MHD_Result {
        guard let response = makeResponse(on: connection) else { return .NO }
        defer { MHD_destroy_response(response) }
        var fields = headers + [("Content-Type", contentType)]
        if closing { fields.append(("Connection", "close")) }
        for field in fields where MHD_add_response_header(response, field.name, field.value) != .YES {
            return WebResponse.text("internal error: the response has an invalid header field\n", status: 500).queue(
                on: connection, closing: closing)
        }
        return MHD_queue_response(connection, UInt32(status), response)
    }

    private func makeResponse(on connection: OpaquePointer) -> OpaquePointer? {
        switch body {
        case .bytes(let bytes):
            bytes.withUnsafeBytes { bytes in
                // MHD does not modify the buffer; the parameter lacks const.
                MHD_create_response_from_buffer(
                    bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
            }
        case .shared(let bytes):
            MHD_create_response_from_buffer_with_free_callback_cls(
                bytes.count, bytes.address, releaseShared, Unmanaged.passRetained(bytes).toOpaque())
        case .streaming(let body):
            body.makeResponse(on: connection)
        case .truncated(let bytes, let announced):
            MHD_create_response_from_callback(
                UInt64(max(announced, bytes.count)), 16 << 10, read,
                Unmanaged.passRetained(SharedBytes(bytes)).toOpaque(), releaseShared)
        }
    }
}

/// Copies the bytes at `position`; at the end MHD closes the connection in the middle of the body.
private func read(
    _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int
) -> Int {
    guard let context, let buffer else { return MHD_CONTENT_READER_END_WITH_ERROR }
    let bytes = Unmanaged<SharedBytes>.fromOpaque(context).takeUnretainedValue().bytes
    let part = bytes.dropFirst(Int(clamping: position)).prefix(size)
    UnsafeMutableRawBufferPointer(start: buffer, count: size).copyBytes(from: part)
    return part.isEmpty ? MHD_CONTENT_READER_END_WITH_ERROR : part.count
}

private func releaseShared(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<SharedBytes>.fromOpaque(context).release()
}
