import Compression
import Concurrency
import Text

/// A body that can be sent more than once, with an entity tag for caches and a gzip version if that is smaller.
public struct CacheableBody: Sendable {
    /// The media type.
    public let contentType: String
    /// The uncompressed bytes.
    public let content: SharedBytes
    /// The entity tag with its quotes. It is weak because both encodings share it (RFC 9110, 8.8.1).
    public let entityTag: String

    /// The result of compression; nil before the first client that accepts gzip.
    private let compressed = Locked<SharedBytes??>(nil)
    private let isCompressible: Bool

    /// Minimum size in bytes for compression: a smaller body gains nothing.
    private static let minimumSize = 512

    /// Creates a body.
    public init(_ bytes: [UInt8], contentType: String, isCompressible: Bool = true, entityTag: String? = nil) {
        content = SharedBytes(bytes)
        self.contentType = contentType
        self.isCompressible = isCompressible && bytes.count >= Self.minimumSize
        self.entityTag =
            entityTag ?? "W/\"\(String(bytes.count, radix: 36))-\(String(bytes.digest, radix: 36))\""
    }

    /// The bytes as gzip; nil if that is not smaller. They are compressed by the first call, while later ones wait.
    public var gzipped: SharedBytes? {
        guard isCompressible else { return nil }
        return compressed.withLock { compressed in
            if let known = compressed { return known }
            let made = Gzip.compress(content.bytes).map(SharedBytes.init)
            compressed = .some(made)
            return made
        }
    }

    /// Returns the response to a request: 304 if the client has the body already, gzip if the client accepts it.
    ///
    /// - Parameter cacheControl: The value of the `Cache-Control` header.
    public func response(
        to request: WebRequest, cacheControl: String = "no-cache", headers: [(name: String, value: String)] = []
    ) -> WebResponse {
        var headers = headers + [("ETag", entityTag), ("Cache-Control", cacheControl)]
        if isCompressible { headers.append(("Vary", "Accept-Encoding")) }
        if request.hasCached(entityTag) {
            return WebResponse(status: 304, contentType: contentType, headers: headers, body: .bytes([]))
        }
        let gzipped = request.acceptsGzip ? gzipped : nil
        if gzipped != nil { headers.append(("Content-Encoding", "gzip")) }
        return WebResponse(contentType: contentType, headers: headers, body: .shared(gzipped ?? content))
    }
}

/// Bytes that any number of responses send at the same time without copying them.
public final class SharedBytes: Sendable {
    // Never written after `init`, and freed by the last reference.
    private nonisolated(unsafe) let buffer: UnsafeMutableRawBufferPointer

    /// Copies bytes.
    public init(_ bytes: [UInt8]) {
        buffer = .allocate(byteCount: bytes.count, alignment: 1)
        buffer.copyBytes(from: bytes)
    }

    deinit {
        buffer.deallocate()
    }

    /// The number of bytes.
    public var count: Int { buffer.count }

    /// A copy of the bytes.
    public var bytes: [UInt8] { Array(buffer) }

    /// The address of the bytes, valid while the object is referenced.
    var address: UnsafeMutableRawPointer? { buffer.baseAddress }
}

extension WebResponse {
    /// Returns the response to a client that has the body with this entity tag already.
    public static func notModified(
        _ entityTag: String, contentType: String, cacheControl: String = "no-cache",
        headers: [(name: String, value: String)] = []
    ) -> WebResponse {
        let headers = headers + [("ETag", entityTag), ("Cache-Control", cacheControl), ("Vary", "Accept-Encoding")]
        return WebResponse(status: 304, contentType: contentType, headers: headers, body: .bytes([]))
    }
}

extension [UInt8] {
    /// FNV-1a: distinguishes versions of one document, and is the same in every process.
    fileprivate var digest: UInt64 {
        reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

// MARK: - Conditional requests and encodings

extension WebRequest {
    /// Whether `If-None-Match` contains the tag, compared weakly (RFC 9110, 13.1.2).
    public func hasCached(_ tag: String) -> Bool {
        let known = headers.filter { equalIgnoringCase($0.name, "If-None-Match") }
        return known.flatMap { $0.value.parts(between: ",") }.contains { item in
            let item = item.filter { $0 != " " }
            return item == "*" || item == tag || "W/\(item)" == tag
        }
    }

    /// Whether `Accept-Encoding` contains gzip without the quality 0 (`gzip;q=0`).
    public var acceptsGzip: Bool {
        let items = (header("Accept-Encoding") ?? "").parts(between: ",")
        return items.contains { item in
            let parts = item.parts(between: ";").map { $0.filter { $0 != " " } }
            guard let name = parts.first, equalIgnoringCase(name, "gzip") else { return false }
            return !parts.dropFirst().contains { $0.hasPrefix("q=0") && $0.allSatisfy { !"123456789".contains($0) } }
        }
    }
}
