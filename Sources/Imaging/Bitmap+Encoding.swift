import CImaging

extension Bitmap {
    /// The picture as a JPEG with colours in full resolution, so that letters stay crisp (`tjCompress2`).
    ///
    /// - Precondition: `quality` is 1 to 100.
    public func encodeJPEG(quality: Int = 85) -> [UInt8] {
        precondition((1...100).contains(quality), "Canvas.encodeJPEG: quality \(quality)")
        guard let compressor = tjInitCompress() else {
            fatalError("tjInitCompress: \(String(cString: tjGetErrorStr()))")
        }
        defer { tjDestroy(compressor) }
        var bytes: UnsafeMutablePointer<UInt8>?
        var count: UInt = 0
        defer { tjFree(bytes) }
        let status = tjCompress2(
            compressor, pixels, Int32(width), 0, Int32(height), Int32(TJPF_RGB.rawValue), &bytes, &count,
            Int32(TJSAMP_444.rawValue), Int32(quality), 0)
        guard status == 0 else { fatalError("tjCompress2: \(String(cString: tjGetErrorStr2(compressor)))") }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }

    /// The picture as a PNG (`png_image_write_to_memory`).
    public func encodePNG() -> [UInt8] {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        image.width = png_uint_32(width)
        image.height = png_uint_32(height)
        image.format = png_uint_32(PNG_FORMAT_FLAG_COLOR)
        // More than zlib and the chunks' frames can add; PNG_IMAGE_PNG_SIZE_MAX is a macro that Swift cannot see.
        let limit = pixels.count + pixels.count / 4 + height + 1_024
        return [UInt8](unsafeUninitializedCapacity: limit) { bytes, count in
            count = limit
            guard png_image_write_to_memory(&image, bytes.baseAddress, &count, 0, pixels, 0, nil) != 0 else {
                fatalError("png_image_write_to_memory: \(width) × \(height)")
            }
        }
    }
}
