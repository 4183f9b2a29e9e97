import Testing

@testable import Imaging

@Suite struct BitmapTests {
    @Test("each pixel has the colour of its column and row")
    func pixels() {
        let bitmap = Bitmap(width: 3, height: 2) { x, y in Color(UInt32(x << 16 | y << 8 | 7)) }
        #expect(bitmap.pixels == [0, 0, 7, 1, 0, 7, 2, 0, 7, 0, 1, 7, 1, 1, 7, 2, 1, 7])
    }

    @Test("a hue is an angle on the colour wheel")
    func hues() {
        #expect(Color(hue: 0, saturation: 1, brightness: 1) == Color(0xFF0000))
        #expect(Color(hue: 1.0 / 3, saturation: 1, brightness: 1) == Color(0x00FF00))
        #expect(Color(hue: 2.0 / 3, saturation: 1, brightness: 0.6) == Color(0x000099))
        #expect(Color(hue: -1.0 / 3, saturation: 1, brightness: 0.6) == Color(0x000099))
        #expect(Color(hue: 1, saturation: 0, brightness: 1) == Color(0xFFFFFF))
    }

    @Test("the same drawing gives the same bytes, and lower quality fewer")
    func encoding() {
        let bitmap = Bitmap(width: 64, height: 64) { x, y in Color(UInt32(x * y)) }
        #expect(bitmap.encodePNG() == bitmap.encodePNG())
        #expect(bitmap.encodeJPEG() == bitmap.encodeJPEG())
        #expect(bitmap.encodeJPEG(quality: 30).count < bitmap.encodeJPEG(quality: 90).count)
    }
}
