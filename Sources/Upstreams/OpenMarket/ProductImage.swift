import FoundationEssentials
public import Imaging
import Networking
public import OpenMarket

/// An image that the Open Market accepts: a whole JPEG or PNG of at most 300 KB.
public struct ProductImage: Hashable, Sendable {
    let format: ImageHeader.Format
    /// The file's bytes.
    public let bytes: [UInt8]

    /// Maximum width and height in pixels of an image that was scaled down.
    private static let longestSide = 2_000

    /// What is made of an image that is too large: a JPEG within the market's limit.
    private static let shrunk = ImageDecoder.Target(
        width: longestSide, height: longestSide, quality: 82, bytes: ProductConstraints.imageBytes)
    /// What is made of an image that is sent unchanged, to see that all of it can be decoded.
    private static let glance = ImageDecoder.Target(width: 1, height: 1, quality: 82)

    /// Checks an image by its headers, without decoding it; the error names its position in the request, `index`.
    public static func check(_ bytes: [UInt8], index: Int) throws(ProductValidationError) {
        let field = "images[\(index)]"
        guard let header = ImageHeader.read(bytes), header.format == .jpeg || header.format == .png else {
            throw ProductValidationError(field: field, "the image is not a JPEG or PNG, or has too many pixels")
        }
        guard ImageDecoder.canDecode(bytes, to: bytes.count <= ProductConstraints.imageBytes ? glance : shrunk) else {
            throw ProductValidationError(field: field, damaged)
        }
    }

    private static let damaged =
        "the image is damaged or truncated, has more than 32 scans, or needs more than 64 MB to be decoded"

    /// Checks an image, decodes it once, and scales it down if it is too large for the Open Market.
    ///
    /// Every image is decoded, so that a damaged one is refused before anything is sent. Throws as `check`, or `ImageDecoder.ImageDecoderError` if nothing can be said about the image.
    public init(_ bytes: [UInt8], index: Int, decoder: ImageDecoder) async throws {
        try Self.check(bytes, index: index)
        let isSmall = bytes.count <= ProductConstraints.imageBytes
        guard let decoded = try await decoder.jpeg(of: bytes, isSmall ? Self.glance : Self.shrunk) else {
            throw ProductValidationError(field: "images[\(index)]", Self.damaged)
        }
        format = isSmall ? ImageHeader.read(bytes)?.format ?? .jpeg : .jpeg
        self.bytes = isSmall ? bytes : decoded
    }

    /// Returns the image as a part of a registration's form; `number` (from 1) becomes its file name.
    func formPart(number: Int) -> MultipartPart {
        MultipartPart(
            "images", fileName: "\(number).\(format.rawValue)", contentType: format.contentType, content: Data(bytes))
    }
}
