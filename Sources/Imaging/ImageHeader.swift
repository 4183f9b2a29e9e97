import CImaging

/// The format and the size of an image, read from its header.
///
/// The rest of the file is not decoded, so it may still be damaged.
public struct ImageHeader: Hashable, Sendable {
    /// An image format.
    public enum Format: String, Sendable {
        /// JPEG, sequential or progressive.
        case jpeg
        /// PNG.
        case png
        /// WebP in any of its three forms.
        case webp
        /// GIF; the size is that of the logical screen, not of the first frame.
        case gif

        /// The media type, such as `image/jpeg`.
        public var contentType: String { "image/\(rawValue)" }
    }

    /// The format of the image.
    public let format: Format
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int

    static let maximumSide = 16_384
    static let maximumPixels = 40_000_000

    /// Reads a header; returns nil for other formats than JPEG, PNG, WebP and GIF, and for an image that is too large.
    ///
    /// An image is too large with a side of more than 16,384 pixels or more than 40 million pixels.
    public static func read(_ bytes: some Sequence<UInt8>) -> ImageHeader? {
        let bytes = Array(bytes)
        guard let header = jpeg(bytes) ?? png(bytes) ?? gif(bytes) ?? webp(bytes) else { return nil }
        // A file of a few kilobytes can claim a size that takes gigabytes to decode.
        let sides = 1...maximumSide
        guard sides.contains(header.width), sides.contains(header.height) else { return nil }
        return header.width * header.height <= maximumPixels ? header : nil
    }

    private static func jpeg(_ bytes: [UInt8]) -> ImageHeader? {
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]), let frame = JPEGStructure(frameOf: bytes) else { return nil }
        return ImageHeader(format: .jpeg, width: frame.width, height: frame.height)
    }

    /// Reads the IHDR chunk, which is the first and has 13 bytes (ISO/IEC 15948, 11.2.2).
    private static func png(_ bytes: [UInt8]) -> ImageHeader? {
        let beginning: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
        guard bytes.starts(with: beginning), bytes.count >= 33 else { return nil }
        let sides = [bytes[16..<20], bytes[20..<24]].map { $0.reduce(0) { $0 << 8 | Int($1) } }
        return ImageHeader(format: .png, width: sides[0], height: sides[1])
    }

    /// Reads the logical screen descriptor, which follows the signature (GIF89a, 18).
    private static func gif(_ bytes: [UInt8]) -> ImageHeader? {
        guard bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8), bytes.count >= 13 else {
            return nil
        }
        return ImageHeader(
            format: .gif, width: Int(bytes[6]) | Int(bytes[7]) << 8, height: Int(bytes[8]) | Int(bytes[9]) << 8)
    }

    /// Reads the header with libwebp, which knows all three forms (`WebPGetFeatures`).
    private static func webp(_ bytes: [UInt8]) -> ImageHeader? {
        guard bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) else { return nil }
        var features = WebPBitstreamFeatures()
        guard WebPGetFeatures(bytes, bytes.count, &features) == VP8_STATUS_OK else { return nil }
        return ImageHeader(format: .webp, width: Int(features.width), height: Int(features.height))
    }
}
