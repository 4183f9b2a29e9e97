import Testing

@testable import Imaging

@Suite struct BitmapTests {
    private let white = Fill.color(Color(0xFFFFFF))

    @Test("a shape covers the pixels within, half of those on its edge, and none outside")
    func coverage() {
        var canvas = Bitmap(width: 6, height: 4)
        canvas.fill(.rectangle(x: 1, y: 1, width: 2.5, height: 2.5), with: white)
        #expect(
            canvas.gray == [
                [0, 0, 0, 0, 0, 0],
                [0, 255, 255, 128, 0, 0],
                [0, 255, 255, 128, 0, 0],
                [0, 128, 128, 64, 0, 0],
            ])
    }

    @Test("a shape may reach beyond the picture, or lie beside it")
    func clipping() {
        var canvas = Bitmap(width: 3, height: 2)
        canvas.fill(.rectangle(x: -10, y: 1, width: 12, height: 1e9), with: white)
        canvas.fill(.rectangle(x: 50, y: -50, width: 10, height: 10), with: white)
        canvas.fill(.polygon([]), with: white)
        #expect(canvas.gray == [[0, 0, 0], [255, 255, 0]])
    }

    @Test("a ring has a hole, and a circle is round")
    func circles() {
        var canvas = Bitmap(width: 200, height: 100)
        canvas.fill(.circle(x: 50, y: 50, radius: 40), with: white)
        canvas.fill(.ring(x: 150, y: 50, radius: 40, width: 10), with: white)
        let rows = canvas.gray
        #expect(rows[50][50] == 255 && rows[50][11] == 255 && rows[50][8] == 0 && rows[12][12] == 0)
        #expect(rows[50][150] == 0 && rows[50][115] == 255 && rows[50][122] == 0)
        let area = rows.map { $0[..<100].reduce(0, +) }.reduce(0, +) / 255
        #expect((4_990...5_060).contains(area))  // π · 40² = 5,027
    }

    @Test("opacity lets through what is behind, and gradients run from end to end")
    func paints() {
        var canvas = Bitmap(width: 11, height: 11)
        canvas.fill(with: white)
        canvas.fill(with: .color(Color(0x000000, opacity: 0.5)))
        #expect(canvas.gray[5][5] == 128)
        canvas.fill(with: .vertical(Color(0x000000), Color(0xFFFFFF)))
        #expect(canvas.gray.map { $0[3] } == [12, 35, 58, 81, 104, 128, 151, 174, 197, 220, 243])
        canvas.fill(with: .radial(Color(0xFFFFFF), Color(0x000000)))
        #expect(canvas.gray[5][5] == 255 && canvas.gray[0][0] == 0 && canvas.gray[5][0] == canvas.gray[10][5])
    }

    @Test("letters are made of square cells; unknown ones stay blank")
    func text() {
        var canvas = Bitmap(width: 17, height: 7)
        canvas.fill(.text("l화!", x: 0, y: 0, cell: 1), with: white)
        #expect(
            canvas.gray.map { $0.map { $0 == 255 ? "#" : "." }.joined() } == [
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

    @Test("hues go round the wheel")
    func hues() {
        #expect(Color(hue: 0, saturation: 1, brightness: 1) == Color(0xFF0000))
        #expect(Color(hue: 1.0 / 3, saturation: 1, brightness: 1) == Color(0x00FF00))
        #expect(Color(hue: 2.0 / 3, saturation: 1, brightness: 0.6) == Color(0x000099))
        #expect(Color(hue: -1.0 / 3, saturation: 1, brightness: 0.6) == Color(0x000099))
        #expect(Color(hue: 1, saturation: 0, brightness: 1) == Color(0xFFFFFF))
    }

    @Test("the same drawing gives the same bytes, and lower quality fewer")
    func encoding() {
        var canvas = Bitmap(width: 64, height: 64)
        canvas.fill(with: .radial(Color(0xFFCC00), Color(0x220044)))
        #expect(canvas.encodePNG() == canvas.encodePNG())
        #expect(canvas.encodeJPEG() == canvas.encodeJPEG())
        #expect(canvas.encodeJPEG(quality: 30).count < canvas.encodeJPEG(quality: 90).count)
    }
}

extension Bitmap {
    /// The red channel, row by row.
    fileprivate var gray: [[Int]] {
        (0..<height).map { y in (0..<width).map { x in Int(pixels[(y * width + x) * 3]) } }
    }
}
