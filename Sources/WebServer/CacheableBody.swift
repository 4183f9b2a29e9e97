/// Something that can be sent more than once: bytes with the tag by which caches know them, packed if that helps.
public struct CacheableBody: Sendable {
    /// The media type.
    public let contentType: String
    /// The bytes as they are.
    public let bytes: [UInt8]
    /// The bytes as gzip, where that is smaller.
    public let packed: [UInt8]?
    /// The entity tag with its quotes; weak, because packed and unpacked it is the same (RFC 9110, 8.8.1).
    public let tag: String

    /// Below this, packing costs more than it saves.
    private static let smallest = 512

    /// Makes a representation; pictures, which are packed already, say so by `isPackable`.
    public init(_ bytes: [UInt8], contentType: String, isPackable: Bool = true) {
        self.bytes = bytes
        self.contentType = contentType
        packed = isPackable && bytes.count >= Self.smallest ? bytes.gzipped() : nil
        tag = "W/\"\(String(bytes.count, radix: 36))-\(String(bytes.digest, radix: 36))\""
    }

    /// The answer to a request: 304 if the client has it already, packed if the client can unpack.
    public func response(
        to request: WebRequest, caching: String = "no-cache", headers: [(name: String, value: String)] = []
    ) -> WebResponse {
        var headers = headers + [("ETag", tag), ("Cache-Control", caching)]
        if packed != nil { headers.append(("Vary", "Accept-Encoding")) }
        if request.has(tag) {
            return WebResponse(status: 304, contentType: contentType, headers: headers, body: .bytes([]))
        }
        guard let packed, request.acceptsGzip else {
            return WebResponse(contentType: contentType, headers: headers, body: .bytes(bytes))
        }
        headers.append(("Content-Encoding", "gzip"))
        return WebResponse(contentType: contentType, headers: headers, body: .bytes(packed))
    }
}

extension [UInt8] {
    /// FNV-1a: enough to tell versions of one thing apart, and the same in every run.
    fileprivate var digest: UInt64 {
        reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

extension WebRequest {
    /// Whether the client has what the tag stands for (`If-None-Match`, compared weakly: RFC 9110, 13.1.2).
    fileprivate func has(_ tag: String) -> Bool {
        let known = headers.filter { equalIgnoringCase($0.name, "If-None-Match") }
        return known.flatMap { $0.value.split(separator: ",") }.contains { item in
            let item = item.filter { $0 != " " }
            return item == "*" || item == tag || "W/\(item)" == tag
        }
    }

    /// Whether the client names gzip among the encodings it takes, and not as one that it refuses (`gzip;q=0`).
    fileprivate var acceptsGzip: Bool {
        let items = (header("Accept-Encoding") ?? "").split(separator: ",")
        return items.contains { item in
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " } }
            guard let name = parts.first, equalIgnoringCase(name, "gzip") else { return false }
            return !parts.dropFirst().contains { $0.hasPrefix("q=0") && $0.allSatisfy { !"123456789".contains($0) } }
        }
    }
}
