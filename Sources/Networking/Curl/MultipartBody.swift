import CCurl
import FoundationEssentials

/// The only owner of a libcurl mime handle for a form, with a copy of the parts' bytes.
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
        let bytes = part.content.isEmpty ? [0] : Array(part.content)
        check(curl_mime_data(field, bytes, part.content.count))
    }

    private func check(_ code: CURLcode) {
        precondition(code == CURLE_OK, "curl_mime: \(code.rawValue)")
    }
}
