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
    /// An image is too large with a side of more than 16,384 pixels or more than 40 million pixels. The time does not depend
    /// on the size of the image.
    public static func read(_ bytes: some Sequence<UInt8>) -> ImageHeader? {
        let bytes = Array(bytes)
        guard let header = jpeg(bytes) ?? png(bytes) ?? gif(bytes) ?? webp(bytes) else { return nil }
        // A file of a few kilobytes can claim a size that takes gigabytes to decode.
        let sides = 1...maximumSide
        guard sides.contains(header.width), sides.contains(header.height) else { return nil }
        return header.width * header.height <= maximumPixels ? header : nil
    }

    /// Skips from marker to marker to the frame header (ISO/IEC 10918-1, B.1 and B.2.2).
    private static func jpeg(_ bytes: [UInt8]) -> ImageHeader? {
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
        var position = 2
        while let prefix = bytes.at(position), prefix == 0xFF, let marker = bytes.at(position + 1) {
            switch marker {
            case 0xFF:  // a fill byte
                position += 1
            case 0x01, 0xD0...0xD7:  // markers without a segment
                position += 2
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard let length = bytes.big16(position + 2), let components = bytes.at(position + 9),
                    (1...4).contains(components), length == 8 + 3 * Int(components),
                    let height = bytes.big16(position + 5), let width = bytes.big16(position + 7)
                else { return nil }
                return ImageHeader(format: .jpeg, width: width, height: height)
            case 0xD8...0xDA, 0x00:  // image data, the end, or another start before the size
                return nil
            default:
                guard let length = bytes.big16(position + 2), length >= 2 else { return nil }
                position += 2 + length
            }
        }
        return nil
    }

    /// Reads the IHDR chunk, which is the first and has 13 bytes (ISO/IEC 15948, 11.2.2).
    private static func png(_ bytes: [UInt8]) -> ImageHeader? {
        let beginning: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
        guard bytes.starts(with: beginning), bytes.count >= 33,
            let left = bytes.big16(16), let width = bytes.big16(18),
            let top = bytes.big16(20), let height = bytes.big16(22)
        else { return nil }
        return ImageHeader(format: .png, width: left << 16 | width, height: top << 16 | height)
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

extension [UInt8] {
    fileprivate func at(_ index: Int) -> UInt8? {
        indices.contains(index) ? self[index] : nil
    }

    /// Returns the big-endian number in two bytes.
    fileprivate func big16(_ index: Int) -> Int? {
        guard let high = at(index), let low = at(index + 1) else { return nil }
        return Int(high) << 8 | Int(low)
    }
}
