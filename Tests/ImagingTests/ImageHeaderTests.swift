import TestSupport
import Testing

@testable import Imaging

@Suite struct ImageHeaderTests {
    @Test("the header of an encoded bitmap has its format and size", arguments: [(1, 1), (3, 500), (640, 2)])
    func ours(width: Int, height: Int) {
        let bitmap = Bitmap(width: width, height: height)
        #expect(ImageHeader.read(bitmap.encodeJPEG()) == ImageHeader(format: .jpeg, width: width, height: height))
        #expect(ImageHeader.read(bitmap.encodePNG()) == ImageHeader(format: .png, width: width, height: height))
    }

    @Test("the headers of GIF and of all three forms of WebP are read")
    func others() {
        #expect(ImageHeader.read(Sample.gif.bytes) == ImageHeader(format: .gif, width: 1, height: 1))
        for sample in [Sample.webpLossy, .webpLossless, .webpExtended] {
            #expect(ImageHeader.read(sample.bytes) == ImageHeader(format: .webp, width: 1, height: 1))
        }
        #expect(ImageHeader.Format.webp.contentType == "image/webp")
    }

    @Test("a JPEG's size is found after long profiles and fill bytes, and in a progressive frame")
    func jpegSegments() {
        let profile: [UInt8] = [0xFF, 0xE2, 0xFF, 0xFF] + [UInt8](repeating: 0xC0, count: 0xFFFF - 2)
        let frame: [UInt8] = [0xFF, 0xFF, 0xC2, 0, 17, 8, 0x01, 0x02, 0x03, 0x04, 3, 1, 34, 0, 2, 17, 1, 3, 17, 1]
        let jpeg: [UInt8] = [0xFF, 0xD8] + profile + profile + frame
        #expect(ImageHeader.read(jpeg) == ImageHeader(format: .jpeg, width: 0x0304, height: 0x0102))
        #expect(ImageHeader.read(jpeg.dropLast(11)) == nil)
    }

    @Test(
        "other files have no image header", arguments: ["", "<!DOCTYPE html>", "GIF89", "RIFF....WEBPVP8 ", "\u{FF}"])
    func noImage(text: String) {
        #expect(ImageHeader.read(text.utf8) == nil)
    }

    @Test(
        "an image that is too large, or has a side of zero, is refused",
        arguments: [
            (30_000, 10), (10, 16_385), (8_000, 8_000), (0, 10), (10, 0), (1 << 31, 1 << 31),
        ])
    func absurdSizes(width: Int, height: Int) {
        var png = Bitmap(width: 1, height: 1).encodePNG()
        for index in 0..<4 {
            png[16 + index] = UInt8(truncatingIfNeeded: width >> (24 - 8 * index))
            png[20 + index] = UInt8(truncatingIfNeeded: height >> (24 - 8 * index))
        }
        #expect(ImageHeader.read(png) == nil)
    }

    @Test("damaged input neither crashes the reader nor gives an excessive size", arguments: Sample.allCases)
    func mutations(sample: Sample) {
        let image = sample.bytes
        for length in 0..<image.count { check(image.prefix(length)) }
        var random = SeededGenerator(seed: 20_240_604)
        for _ in 0..<2_000 {
            var bytes = image
            for _ in 0...Int.random(in: 0..<6, using: &random) {
                // Mostly in the header, where it matters.
                let end = Bool.random(using: &random) ? min(40, bytes.count) : bytes.count
                bytes[Int.random(in: 0..<end, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            check(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
            check(bytes[...])
        }
    }

    private func check(_ bytes: ArraySlice<UInt8>) {
        guard let header = ImageHeader.read(bytes) else { return }
        #expect((1...16_384).contains(header.width) && (1...16_384).contains(header.height))
        #expect(header.width * header.height <= 40_000_000)
    }
}
