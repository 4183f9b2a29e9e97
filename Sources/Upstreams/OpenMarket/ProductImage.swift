import FoundationEssentials
import Imaging
import Networking
public import OpenMarket

/// An image that the Open Market accepts: a whole JPEG or PNG of at most 300 KB.
public struct ProductImage: Hashable, Sendable {
    /// The image's format.
    let format: ImageHeader.Format
    /// The file's bytes.
    public let bytes: [UInt8]

    /// Maximum width and height in pixels of an image that was scaled down.
    private static let longestSide = 2_000

    /// Validates an image, and scales it down if it is too large for the Open Market.
    ///
    /// Every image is decoded once, so that a damaged one is rejected before anything is sent.
    ///
    /// - Parameters:
    /// - bytes: The file.
    /// - index: The image's position in the request (from 0), named in the error.
    public init(_ bytes: [UInt8], index: Int) throws(ProductValidationError) {
        let field = "images[\(index)]"
        guard let header = ImageHeader.read(bytes), header.format == .jpeg || header.format == .png else {
            throw ProductValidationError(field: field, "the image is not a JPEG or PNG, or has too many pixels")
        }
        // An image that is sent unchanged is decoded in full; one that is scaled down, at its new size.
        let isSmall = bytes.count <= ProductConstraints.imageBytes
        let box = isSmall ? (header.width, header.height) : (Self.longestSide, Self.longestSide)
        guard let bitmap = Bitmap(decoding: bytes, toFit: box.0, box.1) else {
            throw ProductValidationError(
                field: field, "the image is damaged or truncated, or decoding it needs too much memory")
        }
        if isSmall {
            format = header.format
            self.bytes = bytes
        } else {
            format = .jpeg
            self.bytes = Self.shrunk(bitmap)
        }
    }

    /// Returns the image as a part of a registration's form; `number` (from 1) becomes its file name.
    func formPart(number: Int) -> MultipartPart {
        MultipartPart(
            "images", fileName: "\(number).\(format.rawValue)", contentType: format.contentType, content: Data(bytes))
    }

    /// Returns the image as a JPEG, scaled down by a fifth until it is small enough.
    private static func shrunk(_ bitmap: Bitmap) -> [UInt8] {
        var image = bitmap
        while true {
            let bytes = image.encodeJPEG(quality: 82)
            if bytes.count <= ProductConstraints.imageBytes { return bytes }
            // An image of one pixel has a few hundred bytes, so the loop ends.
            image = image.shrunk(toFit: max(1, image.width * 4 / 5), max(1, image.height * 4 / 5))
        }
    }
}
