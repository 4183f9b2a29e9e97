import CCurl
import FoundationEssentials
import Glibc

/// The only owner of a libcurl mime handle for a form. libcurl reads the parts' bytes as it sends them.
struct MultipartBody: ~Copyable {
    /// The handle, borrowed by the easy handle that sends it.
    let raw: OpaquePointer

    /// Creates the form (`curl_mime_init`). `easy` may be freed first.
    init(_ parts: [MultipartPart], sentBy easy: UnsafeMutableRawPointer) {
        guard let raw = curl_mime_init(easy) else { preconditionFailure("curl_mime_init: out of memory") }
        self.raw = raw
        for part in parts { add(part) }
    }

    deinit {
        curl_mime_free(raw)
    }

    private func add(_ part: MultipartPart) {
        guard let field = curl_mime_addpart(raw) else { preconditionFailure("curl_mime_addpart: out of memory") }
        check(curl_mime_name(field, part.name))
        check(curl_mime_type(field, part.contentType))
        if let fileName = part.fileName { check(curl_mime_filename(field, fileName)) }
        // Released by `releaseContent`, which libcurl calls once when it frees the part.
        let content = Unmanaged.passRetained(PartContent(part.content)).toOpaque()
        let count = curl_off_t(part.content.count)
        check(curl_mime_data_cb(field, count, readContent, seekContent, releaseContent, content))
    }

    private func check(_ code: CURLcode) {
        precondition(code == CURLE_OK, "curl_mime: \(code.rawValue)")
    }
}

/// The unsent rest of a part. It belongs to the thread of `CurlEventLoop`.
private final class PartContent {
    private let bytes: Data
    private var sent = 0

    init(_ bytes: Data) {
        self.bytes = bytes
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, bytes.count - sent)
        bytes.withUnsafeBytes { buffer.copyBytes(from: UnsafeRawBufferPointer(rebasing: $0[sent..<sent + count])) }
        sent += count
        return count
    }

    func seek(to offset: Int) -> Bool {
        guard (0...bytes.count).contains(offset) else { return false }
        sent = offset
        return true
    }

    static func at(_ context: UnsafeMutableRawPointer) -> PartContent {
        Unmanaged.fromOpaque(context).takeUnretainedValue()
    }
}

// libcurl calls these on the loop's thread. They are free functions because a closure would inherit the isolation of
// its context.

private func readContent(
    buffer: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    return PartContent.at(context).read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
}

private func seekContent(context: UnsafeMutableRawPointer?, offset: curl_off_t, origin: Int32) -> Int32 {
    guard let context, origin == SEEK_SET else { return CURL_SEEKFUNC_FAIL }
    return PartContent.at(context).seek(to: Int(offset)) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
}

private func releaseContent(context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<PartContent>.fromOpaque(context).release()
}
