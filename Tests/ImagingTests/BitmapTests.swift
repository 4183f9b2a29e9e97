import Testing

@testable import Imaging

@Suite struct BitmapTests {
    private let white = Fill.color(Color(0xFFFFFF))

    @Test("a shape covers the pixels inside, half of those on its edge, and none outside")
    func coverage() {
        var bitmap = Bitmap(width: 6, height: 4)
        bitmap.fill(.rectangle(x: 1, y: 1, width: 2.5, height: 2.5), with: white)
        #expect(
            bitmap.gray == [
                [0, 0, 0, 0, 0, 0],
                [0, 255, 255, 128, 0, 0],
                [0, 255, 255, 128, 0, 0],
                [0, 128, 128, 64, 0, 0],
            ])
    }

    @Test("a shape is clipped to the bitmap")
    func clipping() {
        var bitmap = Bitmap(width: 3, height: 2)
        bitmap.fill(.rectangle(x: -10, y: 1, width: 12, height: 1e9), with: white)
        bitmap.fill(.rectangle(x: 50, y: -50, width: 10, height: 10), with: white)
        bitmap.fill(.polygon([]), with: white)
        #expect(bitmap.gray == [[0, 0, 0], [255, 255, 0]])
    }

    @Test("a ring has a hole, and a circle is round")
    func circles() {
        var bitmap = Bitmap(width: 200, height: 100)
        bitmap.fill(.circle(x: 50, y: 50, radius: 40), with: white)
        bitmap.fill(.ring(x: 150, y: 50, radius: 40, width: 10), with: white)
        let rows = bitmap.gray
        #expect(rows[50][50] == 255 && rows[50][11] == 255 && rows[50][8] == 0 && rows[12][12] == 0)
        #expect(rows[50][150] == 0 && rows[50][115] == 255 && rows[50][122] == 0)
        let area = rows.map { $0[..<100].reduce(0, +) }.reduce(0, +) / 255
        #expect((4_990...5_060).contains(area))  // π · 40² = 5,027
    }

    @Test("opacity mixes with the background, and gradients span the shape")
    func paints() {
        var bitmap = Bitmap(width: 11, height: 11)
        bitmap.fill(with: white)
        bitmap.fill(with: .color(Color(0x000000, opacity: 0.5)))
        #expect(bitmap.gray[5][5] == 128)
        bitmap.fill(with: .vertical(Color(0x000000), Color(0xFFFFFF)))
        #expect(bitmap.gray.map { $0[3] } == [12, 35, 58, 81, 104, 128, 151, 174, 197, 220, 243])
        bitmap.fill(with: .radial(Color(0xFFFFFF), Color(0x000000)))
        #expect(bitmap.gray[5][5] == 255 && bitmap.gray[0][0] == 0 && bitmap.gray[5][0] == bitmap.gray[10][5])
    }

    @Test("letters are made of square cells; unknown ones are blank")
    func text() {
        var bitmap = Bitmap(width: 17, height: 7)
        bitmap.fill(.text("l화!", x: 0, y: 0, cell: 1), with: white)
        #expect(
            bitmap.gray.map { $0.map { $0 == 255 ? "#" : "." }.joined() } == [
                "#.............#..",
                "#.............#..",
                "#.............#..",
                "#.............#..",
                "#.............#..",
                "#................",
                "#####.........#..",
            ])
        #expect(Shape.cells(of: "l화!") == 17)
        #expect(Shape.cells(of: "") == 0)
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
        var bitmap = Bitmap(width: 64, height: 64)
        bitmap.fill(with: .radial(Color(0xFFCC00), Color(0x220044)))
        #expect(bitmap.encodePNG() == bitmap.encodePNG())
        #expect(bitmap.encodeJPEG() == bitmap.encodeJPEG())
        #expect(bitmap.encodeJPEG(quality: 30).count < bitmap.encodeJPEG(quality: 90).count)
    }
}

extension Bitmap {
    /// The red channel, row by row.
    fileprivate var gray: [[Int]] {
        (0..<height).map { y in (0..<width).map { x in Int(pixels[(y * width + x) * 3]) } }
    }
}
