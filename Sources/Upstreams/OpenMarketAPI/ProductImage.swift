import FoundationEssentials
import Imaging
import Networking
public import OpenMarket

/// A picture as it is sent to the market: a whole JPEG or PNG of at most 300 KB.
public struct ProductImage: Hashable, Sendable {
    /// What it is.
    let format: ImageHeader.Format
    /// The file.
    public let bytes: [UInt8]

    /// The longest side that a picture has after it was made smaller.
    private static let longestSide = 2_000

    /// Takes a picture as it is, or makes it smaller until the market takes it; `number` (from 0) names it in the fault.
    ///
    /// Every picture is decoded once, so that a broken one is told to whoever sent it and never reaches the market.
    public init(_ bytes: [UInt8], number: Int) throws(ProductValidationError) {
        let field = "images[\(number)]"
        guard let header = ImageHeader.read(bytes), header.format == .jpeg || header.format == .png else {
            throw ProductValidationError(field: field, "the image is no JPEG or PNG, or has too many pixels")
        }
        // A picture that is taken as it is must be whole in all its pixels; one that is shrunk, at the size it is shrunk to.
        let isSmall = bytes.count <= ProductConstraints.imageBytes
        let box = isSmall ? (header.width, header.height) : (Self.longestSide, Self.longestSide)
        guard let canvas = Bitmap(decoding: bytes, toFit: box.0, box.1) else {
            throw ProductValidationError(field: field, "the image is broken or cut off, or needs too much memory")
        }
        if isSmall {
            format = header.format
            self.bytes = bytes
        } else {
            format = .jpeg
            self.bytes = Self.shrunk(canvas)
        }
    }

    /// The picture as the part of a registration; `number` (from 1) is its file's name.
    func formPart(number: Int) -> MultipartPart {
        MultipartPart(
            "images", fileName: "\(number).\(format.rawValue)", contentType: format.contentType, content: Data(bytes))
    }

    /// The picture as a JPEG, a fifth smaller in each try, until it is small enough.
    private static func shrunk(_ canvas: Bitmap) -> [UInt8] {
        var image = canvas
        while true {
            let bytes = image.encodeJPEG(quality: 82)
            if bytes.count <= ProductConstraints.imageBytes { return bytes }
            // A picture of one pixel has a few hundred bytes, so this ends.
            image = image.shrunk(toFit: max(1, image.width * 4 / 5), max(1, image.height * 4 / 5))
        }
    }
}
