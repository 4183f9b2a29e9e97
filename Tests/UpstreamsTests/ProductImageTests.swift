import Imaging
import OpenMarket
import TestSupport
import Testing

@testable import Upstreams

@Suite(.ownThread) struct ProductImageTests {
    /// An image that no encoder compresses well.
    private static func noise(_ width: Int, _ height: Int) -> Bitmap {
        var generator = SeededGenerator(seed: 1)
        return Bitmap(width: width, height: height) { _, _ in
            Color(UInt32.random(in: 0...0xFFFFFF, using: &generator))
        }
    }

    private static let decoder = ImageDecoder(program: BuiltProgram.path, deadline: .seconds(120))

    private func validationError(_ bytes: [UInt8]) async throws -> ProductValidationError? {
        do {
            _ = try await ProductImage(bytes, index: 2, decoder: Self.decoder)
            return nil
        } catch let error as ProductValidationError {
            return error
        }
    }

    @Test func aSmallImageIsSentUnchanged() async throws {
        let bitmap = Bitmap(width: 40, height: 30)
        #expect(try await ProductImage(bitmap.encodePNG(), index: 0, decoder: Self.decoder).bytes == bitmap.encodePNG())
        #expect(
            try await ProductImage(bitmap.encodeJPEG(), index: 0, decoder: Self.decoder).bytes == bitmap.encodeJPEG())
    }

    @Test func aLargeImageIsScaledDownToTheLimit() async throws {
        let bytes = Self.noise(1_600, 1_200).encodeJPEG(quality: 100)
        #expect(bytes.count > ProductConstraints.imageBytes)
        let image = try await ProductImage(bytes, index: 0, decoder: Self.decoder)
        #expect(image.bytes.count <= ProductConstraints.imageBytes)
        let header = try #require(ImageHeader.read(image.bytes))
        #expect(header.format == .jpeg)
        // Its proportions stay.
        #expect(abs(Double(header.width) / Double(header.height) - 4.0 / 3) < 0.01)
    }

    @Test func aDamagedImageIsNamedByItsIndex() async throws {
        let jpeg = Self.noise(300, 300).encodeJPEG()
        #expect(try await validationError(Array(jpeg.prefix(jpeg.count / 2)))?.field == "images[2]")
        let png = Self.noise(300, 300).encodePNG()
        #expect(try await validationError(Array(png.prefix(png.count / 2)))?.field == "images[2]")
    }

    @Test(arguments: [[], Array("<html>".utf8), Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0]])
    func anImageThatIsNotJPEGOrPNGIsRejected(_ bytes: [UInt8]) async throws {
        #expect(try await validationError(bytes)?.message.hasPrefix("the image is not a JPEG or PNG") == true)
    }
}
