import CZlib

/// The gzip format (RFC 1952).
public enum Gzip {
    private static let largestWindow: Int32 = 15
    // Added to the window bits, these select the framing.
    private static let gzipFraming: Int32 = 16
    private static let anyFraming: Int32 = 32

    /// Whether the bytes begin as gzip or zlib data does.
    public static func isCompressed(_ bytes: some Sequence<UInt8>) -> Bool {
        // The second byte of zlib data is a level and a sum (RFC 1950, 2.2).
        isGzip(bytes) || [0x01, 0x5E, 0x9C, 0xDA].contains { bytes.starts(with: [0x78, $0]) }
    }

    /// Whether the bytes begin as gzip does: with its mark, and the only method that there is.
    private static func isGzip(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.starts(with: [0x1F, 0x8B, 8])
    }

    /// Returns the bytes compressed (`deflate`); nil if that is not smaller.
    public static func compress(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8]? {
        withStream { stream in
            let size = Int32(MemoryLayout<z_stream>.size)
            let isReady =
                deflateInit2_(
                    stream, level, Z_DEFLATED, largestWindow + gzipFraming, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
                == Z_OK
            guard isReady else { return nil }
            defer { deflateEnd(stream) }
            let packed = output(of: stream, from: bytes, capacity: bytes.count) { deflate(stream, Z_FINISH) }
            return packed?.isEmpty == false ? packed : nil
        }
    }

    /// Returns the content of gzip or zlib data (`inflate`); nil if that is damaged, cut, or longer than `limit`.
    public static func decompress(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
        withStream { stream in
            // The memory follows the content: data of a few bytes does not take the limit.
            var capacity = min(limit, max(4_096, 4 * bytes.count))
            while true {
                let size = Int32(MemoryLayout<z_stream>.size)
                guard inflateInit2_(stream, largestWindow + anyFraming, ZLIB_VERSION, size) == Z_OK else { return nil }
                defer { inflateEnd(stream) }
                let content = output(of: stream, from: bytes, capacity: capacity) { inflateMembers(stream) }
                // With room left, the data is damaged or cut.
                if content != nil || stream.pointee.avail_out > 0 || capacity == limit { return content }
                capacity = min(limit, 4 * capacity)
            }
        }
    }

    /// Decompresses the input, which in gzip may have several members (RFC 1952, 2.2); anything else behind it is ignored.
    private static func inflateMembers(_ stream: UnsafeMutablePointer<z_stream>) -> Int32 {
        while true {
            let status = inflate(stream, Z_FINISH)
            let rest = UnsafeBufferPointer(start: stream.pointee.next_in, count: Int(stream.pointee.avail_in))
            guard status == Z_STREAM_END, isGzip(rest), inflateReset(stream) == Z_OK else { return status }
        }
    }

    /// Calls `body` with a stream, whose address zlib keeps.
    private static func withStream(_ body: (UnsafeMutablePointer<z_stream>) -> [UInt8]?) -> [UInt8]? {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        return body(stream)
    }

    /// Returns what `step` makes of the whole input; nil if that does not fit, or the input has no end.
    private static func output(
        of stream: UnsafeMutablePointer<z_stream>, from input: [UInt8], capacity: Int, step: () -> Int32
    ) -> [UInt8]? {
        var status = Z_OK
        let output = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = input.withUnsafeBytes { bytes in
                // zlib only reads its input; the field lacks the const.
                stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
                stream.pointee.avail_in = UInt32(clamping: bytes.count)
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = UInt32(clamping: buffer.count)
                status = step()
                return status == Z_STREAM_END ? buffer.count - Int(stream.pointee.avail_out) : 0
            }
        }
        return status == Z_STREAM_END ? output : nil
    }
}
