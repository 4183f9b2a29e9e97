import CImaging

/// The size at which an image is to be decoded, and the memory that this takes, computed before a decoder begins.
///
/// A file of a few kilobytes can need hundreds of megabytes: a progressive JPEG's coefficients are all in memory, at two
/// bytes each, whatever the size of the result; so are all pixels of a lossless WebP.
///
/// See docs/decisions/image-decoding-process.md.
struct DecodingPlan {
    /// The most memory that the decoding of one image may take, in bytes. An image that needs more is refused.
    static let memoryLimit = 64 << 20
    /// The most scans of a JPEG: each is a pass over all coefficients. Encoders write some ten of them.
    static let scanLimit = 32
    /// What a decoder needs beside coefficients and pixels, such as tables and a few rows.
    private static let overhead = 2 << 20

    /// The size of the decoded bitmap, before it is shrunk to the wanted size.
    let width: Int
    let height: Int
    /// The most bytes that are in memory at a time, without the file itself.
    let memory: Int

    /// Plans the decoding of a file that is to be shrunk to at most `width` × `height`.
    ///
    /// Returns nil if it would take more than 64 MB, or if the file is of a kind that is not decoded.
    init?(of bytes: [UInt8], _ header: ImageHeader, toFit width: Int, _ height: Int) {
        var (w, h) = (header.width, header.height)
        let decoder: Int
        var bytesPerPixel = 3
        switch header.format {
        case .jpeg:
            guard let jpeg = JPEGStructure(bytes), jpeg.scans <= Self.scanLimit else { return nil }
            var divisor = 1
            while divisor < 8, w / (2 * divisor) >= width || h / (2 * divisor) >= height { divisor *= 2 }
            (w, h) = ((w + divisor - 1) / divisor, (h + divisor - 1) / divisor)
            decoder = jpeg.coefficientBytes
            // Four inks, and the colours that they are converted to.
            if jpeg.components.count == 4 { bytesPerPixel = 4 + 3 }
        case .png:
            // Every pixel is decoded into the result, also of an interlaced or a 16-bit image.
            decoder = 0
        case .webp:
            var features = WebPBitstreamFeatures()
            guard WebPGetFeatures(bytes, bytes.count, &features) == VP8_STATUS_OK, features.has_animation == 0 else {
                return nil
            }
            let isLossless = features.format == 2
            // The opacity of a lossy image may itself be a lossless image, of which the opacity is a copy.
            decoder = w * h * (isLossless ? 4 : features.has_alpha != 0 ? 5 : 0)
            let scale = min(1, max(Double(2 * width) / Double(w), Double(2 * height) / Double(h)))
            (w, h) = (max(1, Int(Double(w) * scale)), max(1, Int(Double(h) * scale)))
        case .gif: return nil
        }
        self.width = w
        self.height = h
        // The rows are shrunk first, then the columns; the decoder's memory is free by then.
        let scale = min(1, Double(width) / Double(w), Double(height) / Double(h))
        let shrunkWidth = Int(Double(w) * scale) + 1
        let shrinking = scale < 1 ? 3 * (w * h + shrunkWidth * (h + Int(Double(h) * scale) + 1)) : 0
        memory = max(decoder + bytesPerPixel * w * h, shrinking) + Self.overhead
        guard memory <= Self.memoryLimit else { return nil }
    }
}
