import CMicrohttpd
import Glibc

extension WebResponse {
    static let tooLarge = text("the body is too large\n", status: 413)
    static let stopping = text("the server is stopping\n", status: 503)

    /// Gives the answer to MHD, which copies it (`MHD_queue_response`). MHD's thread only.
    ///
    /// A field that HTTP does not allow, such as one with a line break, makes it an answer 500 instead: to leave the
    /// field out would be to answer something else.
    func queue(on connection: OpaquePointer, closing: Bool) -> MHD_Result {
        guard let response = makeResponse(on: connection) else { return .NO }
        defer { MHD_destroy_response(response) }
        var fields = headers + [("Content-Type", contentType)]
        if closing { fields.append(("Connection", "close")) }
        for field in fields where MHD_add_response_header(response, field.name, field.value) != .YES {
            return WebResponse.text("bad header field\n", status: 500).queue(on: connection, closing: closing)
        }
        return MHD_queue_response(connection, UInt32(status), response)
    }

    private func makeResponse(on connection: OpaquePointer) -> OpaquePointer? {
        switch body {
        case .bytes(let bytes):
            bytes.withUnsafeBytes { bytes in
                // MHD only reads what it copies; its parameter lacks the const.
                MHD_create_response_from_buffer(
                    bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
            }
        case .open(let body):
            body.makeResponse(on: connection)
        case .truncated(let bytes, let announced):
            MHD_create_response_from_callback(
                UInt64(max(announced, bytes.count)), 16 << 10, read,
                Unmanaged.passRetained(TruncatedBody(bytes: bytes)).toOpaque(), free)
        }
    }
}

private final class TruncatedBody: Sendable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// Copies what there is at `position`; where there is no more, MHD closes the connection in the middle of the body.
private func read(
    _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int
) -> Int {
    guard let context, let buffer else { return MHD_CONTENT_READER_END_WITH_ERROR }
    let bytes = Unmanaged<TruncatedBody>.fromOpaque(context).takeUnretainedValue().bytes
    let part = bytes.dropFirst(Int(clamping: position)).prefix(size)
    UnsafeMutableRawBufferPointer(start: buffer, count: size).copyBytes(from: part)
    return part.isEmpty ? MHD_CONTENT_READER_END_WITH_ERROR : part.count
}

private func free(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<TruncatedBody>.fromOpaque(context).release()
}
