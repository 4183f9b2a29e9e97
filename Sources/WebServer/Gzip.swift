import CZlib

extension [UInt8] {
    /// The bytes packed as gzip (RFC 1952, `deflate`), or nil if that makes them no smaller.
    func gzipped(level: Int32 = 6) -> [UInt8]? {
        var stream = z_stream()
        let gzipHeader: Int32 = 16  // added to the window's 15 bits, as zlib has it
        guard
            deflateInit2_(
                &stream, level, Z_DEFLATED, 15 + gzipHeader, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        let packed = [UInt8](unsafeUninitializedCapacity: count) { buffer, packedCount in
            packedCount = withUnsafeBytes { bytes in
                // zlib only reads its input; the field lacks the const.
                stream.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
                stream.avail_in = UInt32(clamping: bytes.count)
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(clamping: buffer.count)
                return deflate(&stream, Z_FINISH) == Z_STREAM_END ? Int(stream.total_out) : 0
            }
        }
        return packed.isEmpty ? nil : packed
    }
}
