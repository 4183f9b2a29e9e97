import CImaging

/// What kind of picture some bytes begin, and its size, by their header alone.
///
/// The header's word is taken for it: what follows is not decoded, so a picture may still be broken further on.
public struct ImageHeader: Hashable, Sendable {
    /// The kinds of pictures that posters come in.
    public enum Format: String, Sendable {
        /// JPEG, sequential or progressive.
        case jpeg
        /// PNG.
        case png
        /// WebP in any of its three forms.
        case webp
        /// GIF; the size is the screen's, not the first frame's.
        case gif

        /// The media type, such as `image/jpeg`.
        public var contentType: String { "image/\(rawValue)" }
    }

    /// The kind of picture.
    public let format: Format
    /// Pixels from left to right.
    public let width: Int
    /// Pixels from top to bottom.
    public let height: Int

    static let longestSide = 16_384
    static let mostPixels = 40_000_000

    /// Reads the header; nil if this is no JPEG, PNG, WebP or GIF, or one too large to be a poster.
    ///
    /// "Too large" is a side of more than 16,384 pixels or more than 40 million in all: such a file of a few kilobytes
    /// would take gigabytes to decode. The time it takes does not depend on how large the picture is.
    public static func read(_ bytes: some Sequence<UInt8>) -> ImageHeader? {
        let bytes = Array(bytes)
        guard let header = jpeg(bytes) ?? png(bytes) ?? gif(bytes) ?? webp(bytes) else { return nil }
        let sides = 1...longestSide
        guard sides.contains(header.width), sides.contains(header.height) else { return nil }
        return header.width * header.height <= mostPixels ? header : nil
    }

    /// Walks from marker to marker to the frame header (ISO/IEC 10918-1, B.1 and B.2.2).
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
            case 0xD8...0xDA, 0x00:  // a picture's data, its end or another's beginning before its size
                return nil
            default:
                guard let length = bytes.big16(position + 2), length >= 2 else { return nil }
                position += 2 + length
            }
        }
        return nil
    }

    /// The IHDR chunk stands first, and is 13 bytes long (ISO/IEC 15948, 11.2.2).
    private static func png(_ bytes: [UInt8]) -> ImageHeader? {
        let beginning: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
        guard bytes.starts(with: beginning), bytes.count >= 33,
            let left = bytes.big16(16), let width = bytes.big16(18),
            let top = bytes.big16(20), let height = bytes.big16(22)
        else { return nil }
        return ImageHeader(format: .png, width: left << 16 | width, height: top << 16 | height)
    }

    /// The logical screen descriptor follows the signature (GIF89a, 18).
    private static func gif(_ bytes: [UInt8]) -> ImageHeader? {
        guard bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8), bytes.count >= 13 else {
            return nil
        }
        return ImageHeader(
            format: .gif, width: Int(bytes[6]) | Int(bytes[7]) << 8, height: Int(bytes[8]) | Int(bytes[9]) << 8)
    }

    /// Asks libwebp, which knows the three forms (`WebPGetFeatures`).
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

    /// The two bytes at `index`, the higher one first.
    fileprivate func big16(_ index: Int) -> Int? {
        guard let high = at(index), let low = at(index + 1) else { return nil }
        return Int(high) << 8 | Int(low)
    }
}
