import CImaging

/// An image of opaque pixels in memory.
public struct Bitmap: Sendable {
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    /// The red, green and blue bytes of each pixel, row by row from the top.
    public private(set) var pixels: [UInt8]

    /// Makes a black bitmap.
    ///
    /// - Precondition: both sides are 1 to 16,384 pixels.
    public init(width: Int, height: Int) {
        let sides = 1...ImageHeader.maximumSide
        precondition(sides.contains(width) && sides.contains(height), "Bitmap.init: \(width) × \(height)")
        self.width = width
        self.height = height
        pixels = [UInt8](repeating: 0, count: width * height * 3)
    }

    /// Makes a bitmap whose pixel in column `x` and row `y`, from the top left, is `color(x, y)`.
    public init(width: Int, height: Int, color: (_ x: Int, _ y: Int) -> Color) {
        self.init(width: width, height: height)
        var next = 0
        for y in 0..<height {
            for x in 0..<width {
                let color = color(x, y)
                (pixels[next], pixels[next + 1], pixels[next + 2]) = (color.red, color.green, color.blue)
                next += 3
            }
        }
    }

    init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(pixels.count == width * height * 3, "Bitmap.init: \(pixels.count) bytes for \(width) × \(height)")
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    // MARK: Shrinking

    /// Returns the bitmap shrunk to at most `width` × `height`: each pixel is the average of the area that it covers.
    public func shrunk(toFit width: Int, _ height: Int) -> Bitmap {
        precondition(width > 0 && height > 0, "Bitmap.shrunk: \(width) × \(height)")
        let scale = min(1, Double(width) / Double(self.width), Double(height) / Double(self.height))
        guard scale < 1 else { return self }
        let w = max(1, Int((Double(self.width) * scale).rounded()))
        let h = max(1, Int((Double(self.height) * scale).rounded()))
        let rows = Self.shrinkRows(pixels, from: self.width, to: w, height: self.height)
        return Bitmap(width: w, height: h, pixels: Self.shrinkColumns(rows, width: w, from: self.height, to: h))
    }

    /// The source pixels of a pixel, and the weight of each in 65,536ths.
    private struct Span {
        let first: Int
        let weights: [UInt32]

        static func spans(from count: Int, to smaller: Int) -> [Span] {
            let ratio = Double(count) / Double(smaller)
            return (0..<smaller).map { index in
                let (start, end) = (Double(index) * ratio, min(Double(count), Double(index + 1) * ratio))
                let first = Int(start)
                let shares = (first..<max(first + 1, min(count, Int(end.rounded(.up))))).map { pixel in
                    max(0, min(Double(pixel + 1), end) - max(Double(pixel), start))
                }
                let whole = shares.reduce(0, +)
                return Span(first: first, weights: shares.map { UInt32(($0 / whole * 65_536).rounded()) })
            }
        }
    }

    private static func shrinkRows(_ pixels: [UInt8], from width: Int, to smaller: Int, height: Int) -> [UInt8] {
        let spans = Span.spans(from: width, to: smaller)
        return [UInt8](unsafeUninitializedCapacity: smaller * height * 3) { result, count in
            count = smaller * height * 3
            var target = 0
            for y in 0..<height {
                for span in spans {
                    var source = (y * width + span.first) * 3
                    var (red, green, blue) = (UInt32(32_768), UInt32(32_768), UInt32(32_768))
                    for weight in span.weights {
                        red &+= UInt32(pixels[source]) &* weight
                        green &+= UInt32(pixels[source + 1]) &* weight
                        blue &+= UInt32(pixels[source + 2]) &* weight
                        source += 3
                    }
                    result.initializeElement(at: target, to: UInt8(min(255, red >> 16)))
                    result.initializeElement(at: target + 1, to: UInt8(min(255, green >> 16)))
                    result.initializeElement(at: target + 2, to: UInt8(min(255, blue >> 16)))
                    target += 3
                }
            }
        }
    }

    private static func shrinkColumns(_ pixels: [UInt8], width: Int, from height: Int, to smaller: Int) -> [UInt8] {
        let row = width * 3
        var result: [UInt8] = []
        result.reserveCapacity(row * smaller)
        for span in Span.spans(from: height, to: smaller) {
            var sums = [UInt32](repeating: 32_768, count: row)
            for (index, weight) in span.weights.enumerated() {
                let start = (span.first + index) * row
                for offset in 0..<row { sums[offset] &+= UInt32(pixels[start + offset]) &* weight }
            }
            for sum in sums { result.append(UInt8(min(255, sum >> 16))) }
        }
        return result
    }
}

extension Bitmap {
    // MARK: Decoding

    /// Decodes an untrusted image and shrinks it to at most `width` × `height`.
    ///
    /// Returns nil for other formats, GIF among them, for damaged, truncated or animated files, for images that would take
    /// more than 64 MB, and for a JPEG of more than 32 scans.
    init?(decoding bytes: [UInt8], toFit width: Int, _ height: Int) {
        guard let header = ImageHeader.read(bytes), let plan = DecodingPlan(of: bytes, header, toFit: width, height)
        else {
            return nil
        }
        let image: Bitmap? =
            switch header.format {
            case .jpeg: Self.decodeJPEG(bytes, header, plan)
            case .png: Self.decodePNG(bytes, header)
            case .webp: Self.decodeWebP(bytes, header, plan)
            case .gif: nil
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

/// An sRGB colour.
public struct Color: Hashable, Sendable {
    /// Red, 0 to 255.
    public var red: UInt8
    /// Green, 0 to 255.
    public var green: UInt8
    /// Blue, 0 to 255.
    public var blue: UInt8

    /// Makes a colour from `0xRRGGBB`.
    public init(_ code: UInt32) {
        red = UInt8(truncatingIfNeeded: code >> 16)
        green = UInt8(truncatingIfNeeded: code >> 8)
        blue = UInt8(truncatingIfNeeded: code)
    }

    /// Makes a colour from hue, saturation and brightness, each 0 to 1. Hue 0 is red, ⅓ green, ⅔ blue, 1 red again.
    public init(hue: Double, saturation: Double, brightness: Double) {
        func channel(_ offset: Double) -> UInt8 {
            let position = ((hue - hue.rounded(.down)) * 6 + offset).truncatingRemainder(dividingBy: 6)
            let share = max(0, min(1, min(position, 4 - position)))
            return UInt8(max(0, min(255, (255 * brightness * (1 - saturation * share)).rounded())))
        }
        red = channel(5)
        green = channel(3)
        blue = channel(1)
    }
}
