import CImaging

extension Bitmap {
    /// The most pixels that are held of a picture while it is made smaller: 36 MB.
    private static let mostPixelsHeld = 12_000_000

    /// Decodes a picture of a stranger, no larger than is needed to shrink it to at most `width` × `height`.
    ///
    /// Its size is read from the header before memory is taken: a JPEG or a WebP is made smaller by its own decoder, a PNG
    /// cannot be. Nil for what is no such picture, is broken or cut off, moves, or would take too much memory; GIF is not
    /// decoded.
    public init?(decoding bytes: [UInt8], toFit width: Int, _ height: Int) {
        guard let header = ImageHeader.read(bytes) else { return nil }
        let image: Bitmap?
        switch header.format {
        case .jpeg: image = Self.decodeJPEG(bytes, header, width, height)
        case .png: image = Self.decodePNG(bytes, header)
        case .webp: image = Self.decodeWebP(bytes, header, width, height)
        case .gif: image = nil
        }
        guard let image else { return nil }
        self = image.shrunk(toFit: width, height)
    }

    private static func isHeld(_ width: Int, _ height: Int) -> Bool {
        width * height <= mostPixelsHeld
    }

    /// Decodes a JPEG at 1, ½, ¼ or ⅛ of its size, whichever still covers what is wanted (`tjDecompress2`).
    private static func decodeJPEG(
        _ bytes: [UInt8], _ header: ImageHeader, _ width: Int, _ height: Int
    ) -> Bitmap? {
        var divisor = 1
        while divisor < 8, header.width / (2 * divisor) >= width, header.height / (2 * divisor) >= height {
            divisor *= 2
        }
        let (w, h) = ((header.width + divisor - 1) / divisor, (header.height + divisor - 1) / divisor)
        guard isHeld(w, h), let decompressor = tjInitDecompress() else { return nil }
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
        return Bitmap(width: w, height: h, pixels: isCMYK ? withoutBlack(pixels) : pixels)
    }

    /// Red, green and blue of ink as Adobe writes it, upside down: 255 is no ink.
    private static func withoutBlack(_ inks: [UInt8]) -> [UInt8] {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(inks.count / 4 * 3)
        for start in stride(from: 0, to: inks.count, by: 4) {
            let light = Int(inks[start + 3])
            for ink in inks[start..<start + 3] { pixels.append(UInt8(Int(ink) * light / 255)) }
        }
        return pixels
    }

    /// Decodes a PNG, on white where it is transparent (`png_image_finish_read`).
    private static func decodePNG(_ bytes: [UInt8], _ header: ImageHeader) -> Bitmap? {
        guard isHeld(header.width, header.height) else { return nil }
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

    /// Decodes a still WebP at about twice what is wanted (`WebPDecode`).
    private static func decodeWebP(
        _ bytes: [UInt8], _ header: ImageHeader, _ width: Int, _ height: Int
    ) -> Bitmap? {
        var configuration = WebPDecoderConfig()
        guard WebPInitDecoderConfig(&configuration) != 0,
            WebPGetFeatures(bytes, bytes.count, &configuration.input) == VP8_STATUS_OK,
            configuration.input.has_animation == 0
        else { return nil }
        let scale = min(
            1, max(Double(2 * width) / Double(header.width), Double(2 * height) / Double(header.height)))
        let (w, h) = (max(1, Int(Double(header.width) * scale)), max(1, Int(Double(header.height) * scale)))
        guard isHeld(w, h) else { return nil }
        configuration.options.use_scaling = scale < 1 ? 1 : 0
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
}
