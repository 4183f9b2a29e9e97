import CImaging

extension Bitmap {
    // MARK: Decoding

    /// Decodes an untrusted image and shrinks it to at most `width` × `height`.
    ///
    /// The memory that it takes is computed from the headers before a decoder begins. The decoders of JPEG and WebP shrink
    /// an image while they decode it; a PNG is decoded in full size.
    ///
    /// Returns nil for other formats, GIF among them, for damaged, truncated or animated files, for images that would take
    /// more than 64 MB, and for a JPEG of more than 32 scans.
    public init?(decoding bytes: [UInt8], toFit width: Int, _ height: Int) {
        guard let header = ImageHeader.read(bytes), let plan = DecodingPlan(of: bytes, header, toFit: width, height)
        else {
            return nil
        }
        let image: Bitmap?
        switch header.format {
        case .jpeg: image = Self.decodeJPEG(bytes, header, plan)
        case .png: image = Self.decodePNG(bytes, header)
        case .webp: image = Self.decodeWebP(bytes, header, plan)
        case .gif: image = nil
        }
        guard let image else { return nil }
        self = image.shrunk(toFit: width, height)
    }

    /// Decodes a JPEG at 1, ½, ¼ or ⅛ of its size (`tjDecompress2`).
    private static func decodeJPEG(_ bytes: [UInt8], _ header: ImageHeader, _ plan: DecodingPlan) -> Bitmap? {
        let (w, h) = (plan.width, plan.height)
        guard let decompressor = tjInitDecompress() else { return nil }
        defer { tjDestroy(decompressor) }
        var (fullWidth, fullHeight, sampling, space) = (Int32(0), Int32(0), Int32(0), Int32(0))
        guard
            tjDecompressHeader3(
                decompressor, bytes, UInt(bytes.count), &fullWidth, &fullHeight, &sampling, &space) == 0,
            fullWidth == header.width, fullHeight == header.height
        else { return nil }
        let isCMYK = [TJCS_CMYK.rawValue, TJCS_YCCK.rawValue].contains(UInt32(space))
        let format = isCMYK ? TJPF_CMYK : TJPF_RGB
        var pixels = [UInt8](repeating: 0, count: w * h * (isCMYK ? 4 : 3))
        guard
            tjDecompress2(
                decompressor, bytes, UInt(bytes.count), &pixels, Int32(w), 0, Int32(h), Int32(format.rawValue),
                TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS) == 0
        else { return nil }
        return Bitmap(width: w, height: h, pixels: isCMYK ? rgb(fromCMYK: pixels) : pixels)
    }

    /// Converts CMYK to RGB. Adobe stores it inverted: 255 is no ink.
    private static func rgb(fromCMYK inks: [UInt8]) -> [UInt8] {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(inks.count / 4 * 3)
        for start in stride(from: 0, to: inks.count, by: 4) {
            let light = Int(inks[start + 3])
            for ink in inks[start..<start + 3] { pixels.append(UInt8(Int(ink) * light / 255)) }
        }
        return pixels
    }

    /// Decodes a PNG on a white background (`png_image_finish_read`).
    private static func decodePNG(_ bytes: [UInt8], _ header: ImageHeader) -> Bitmap? {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        defer { png_image_free(&image) }
        return bytes.withUnsafeBytes { bytes in
            guard png_image_begin_read_from_memory(&image, bytes.baseAddress, bytes.count) != 0,
                image.width == header.width, image.height == header.height
            else { return nil }
            image.format = png_uint_32(PNG_FORMAT_FLAG_COLOR)
            var white = png_color(red: 255, green: 255, blue: 255)
            var pixels = [UInt8](repeating: 0, count: header.width * header.height * 3)
            guard png_image_finish_read(&image, &white, &pixels, 0, nil) != 0 else { return nil }
            return Bitmap(width: header.width, height: header.height, pixels: pixels)
        }
    }

    /// Decodes a still WebP at about twice the wanted size (`WebPDecode`).
    private static func decodeWebP(_ bytes: [UInt8], _ header: ImageHeader, _ plan: DecodingPlan) -> Bitmap? {
        let (w, h) = (plan.width, plan.height)
        var configuration = WebPDecoderConfig()
        guard WebPInitDecoderConfig(&configuration) != 0 else { return nil }
        configuration.options.use_scaling = w < header.width || h < header.height ? 1 : 0
        configuration.options.scaled_width = Int32(w)
        configuration.options.scaled_height = Int32(h)
        configuration.output.colorspace = MODE_RGB
        configuration.output.is_external_memory = 1
        var pixels = [UInt8](repeating: 0, count: w * h * 3)
        let status = pixels.withUnsafeMutableBufferPointer { buffer in
            configuration.output.u.RGBA.rgba = buffer.baseAddress
            configuration.output.u.RGBA.stride = Int32(w * 3)
            configuration.output.u.RGBA.size = buffer.count
            return WebPDecode(bytes, bytes.count, &configuration)
        }
        return status == VP8_STATUS_OK ? Bitmap(width: w, height: h, pixels: pixels) : nil
    }

    // MARK: Encoding

    /// Returns the bitmap as a JPEG without chroma subsampling, so that letters stay crisp (`tjCompress2`).
    ///
    /// - Precondition: `quality` is 1 to 100.
    public func encodeJPEG(quality: Int = 85) -> [UInt8] {
        precondition((1...100).contains(quality), "Bitmap.encodeJPEG: quality \(quality)")
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

    /// Returns the bitmap as a PNG (`png_image_write_to_memory`).
    public func encodePNG() -> [UInt8] {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        image.width = png_uint_32(width)
        image.height = png_uint_32(height)
        image.format = png_uint_32(PNG_FORMAT_FLAG_COLOR)
        // More than zlib and the chunk headers can add; PNG_IMAGE_PNG_SIZE_MAX is a macro that Swift cannot see.
        let limit = pixels.count + pixels.count / 4 + height + 1_024
        return [UInt8](unsafeUninitializedCapacity: limit) { bytes, count in
            count = limit
            guard png_image_write_to_memory(&image, bytes.baseAddress, &count, 0, pixels, 0, nil) != 0 else {
                fatalError("png_image_write_to_memory: \(width) × \(height)")
            }
        }
    }
}
