import TestSupport
import Testing

@testable import Imaging

@Suite(.ownThread) struct DecodingTests {
    /// Red on the left, blue on the right.
    private static func flag(_ width: Int, _ height: Int) -> Bitmap {
        Bitmap(width: width, height: height) { x, _ in Color(x < width / 2 ? 0xFF0000 : 0x0000FF) }
    }

    @Test(
        "an image is shrunk to fit, with its proportions and colours",
        arguments: [(400, 600, 67, 100), (600, 400, 100, 67), (1_600, 1_600, 100, 100), (50, 60, 50, 60)])
    func fitting(width: Int, height: Int, w: Int, h: Int) throws {
        let flag = Self.flag(width, height)
        for bytes in [flag.encodeJPEG(quality: 95), flag.encodePNG()] {
            let small = try #require(Bitmap(decoding: bytes, toFit: 100, 100))
            #expect(small.width == w && small.height == h)
            let middle = (h / 2) * w * 3
            let (left, right) = (middle + 3 * (w / 4), middle + 3 * (w * 3 / 4))
            #expect(small.pixels[left] > 240 && small.pixels[left + 2] < 15)
            #expect(small.pixels[right] < 15 && small.pixels[right + 2] > 240)
        }
    }

    @Test("all forms of WebP are decoded; GIF and other files are not")
    func formats() {
        #expect(Bitmap(decoding: Sample.webpLossy.bytes, toFit: 10, 10)?.width == 1)
        #expect(Bitmap(decoding: Sample.webpLossless.bytes, toFit: 10, 10)?.width == 1)
        #expect(Bitmap(decoding: Sample.gif.bytes, toFit: 10, 10) == nil)
        #expect(Bitmap(decoding: Array("<html>".utf8), toFit: 10, 10) == nil)
        #expect(Bitmap(decoding: [], toFit: 10, 10) == nil)
    }

    @Test("a truncated image is refused, wherever it ends")
    func cutOff() {
        for bytes in [Self.flag(64, 48).encodeJPEG(), Self.flag(64, 48).encodePNG()] {
            for count in stride(from: 0, to: bytes.count - 16, by: 7) {
                #expect(
                    Bitmap(decoding: Array(bytes.prefix(count)), toFit: 20, 20) == nil, "\(count) of \(bytes.count)")
            }
        }
    }

    @Test("randomly changed bytes are decoded or refused without a crash")
    func mutations() {
        var generator = SeededGenerator(seed: 7)
        for original in [Self.flag(64, 48).encodeJPEG(), Self.flag(64, 48).encodePNG(), Sample.webpLossy.bytes] {
            for _ in 0..<300 {
                var bytes = original
                for _ in 0..<4 {
                    bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
                }
                if let image = Bitmap(decoding: bytes, toFit: 20, 20) {
                    #expect(image.width <= 20 && image.height <= 20)
                }
            }
        }
    }

    @Test("a PNG that would take too much memory is refused after its header")
    func bomb() {
        // The size in the header is patched; its checksum is not reached.
        var bytes = Self.flag(64, 48).encodePNG()
        bytes.replaceSubrange(16..<24, with: [0, 0, 0x0F, 0xA0, 0, 0, 0x0F, 0xA0])  // 4,000 × 4,000
        #expect(Bitmap(decoding: bytes, toFit: 100, 100) == nil)
    }
}
