import Imaging

/// A poster: a sky, something in it, a land before it, the title and the small print, all thrown with the film's dice.
struct Drawing {
    private let canvas: Bitmap

    /// Draws one of a film's pictures; those of one film share their colours and differ in the scene.
    init(of hit: ImageHit, width: Int, height: Int) {
        var canvas = Bitmap(width: width, height: height)
        var dice = hit.movie.dice(for: .poster)
        let palette = Palette(&dice)
        dice = dice.branch(hit.number)
        // Everything is laid out on a sheet 100 wide, and as high as the picture's sides have it.
        let scale = Double(width) / 100
        let sheet = Double(height) / scale
        canvas.fill(with: .vertical(palette.sky, palette.horizon))
        Self.drawStars(on: &canvas, palette, scale, sheet, &dice)
        Self.drawSun(on: &canvas, palette, scale, sheet, &dice)
        if dice.chance(0.5) {
            Self.drawHills(on: &canvas, palette, scale, sheet, &dice)
        } else {
            Self.drawTown(on: &canvas, palette, scale, sheet, &dice)
        }
        Self.drawTitle(of: hit.movie, on: &canvas, palette, scale, sheet)
        self.canvas = canvas
    }

    func encoded(isPNG: Bool) -> [UInt8] {
        isPNG ? canvas.encodePNG() : canvas.encodeJPEG()
    }

    /// Colours that go together.
    private struct Palette {
        let sky: Color
        let horizon: Color
        let light: Color
        let land: Color

        init(_ dice: inout SeededRandom) {
            let hue = dice.unit()
            let isNight = dice.chance(0.55)
            func wheel(_ turn: Double) -> Double { (hue + turn).truncatingRemainder(dividingBy: 1) }
            sky = Color(hue: hue, saturation: 0.75, brightness: isNight ? 0.2 : 0.7)
            horizon = Color(hue: wheel(0.1), saturation: 0.6, brightness: isNight ? 0.6 : 0.97)
            light = Color(hue: wheel(0.55), saturation: 0.3, brightness: 1)
            land = Color(hue: wheel(0.05), saturation: 0.7, brightness: 0.14)
        }
    }

    private static func drawStars(
        on canvas: inout Bitmap, _ palette: Palette, _ scale: Double, _ sheet: Double, _ dice: inout SeededRandom
    ) {
        for _ in 0..<dice.integer(in: 10...40) {
            let star = Shape.circle(
                x: dice.real(in: 0...100) * scale, y: dice.real(in: 0...sheet * 0.6) * scale,
                radius: dice.real(in: 0.2...0.6) * scale)
            canvas.fill(star, with: .color(palette.light.opacity(dice.real(in: 0.2...0.8))))
        }
    }

    private static func drawSun(
        on canvas: inout Bitmap, _ palette: Palette, _ scale: Double, _ sheet: Double, _ dice: inout SeededRandom
    ) {
        let x = dice.real(in: 20...80) * scale
        let y = dice.real(in: 0.18...0.5) * sheet * scale
        let radius = dice.real(in: 9...24) * scale
        let glow = Fill.radial(palette.light.opacity(0.7), palette.light.opacity(0))
        canvas.fill(.circle(x: x, y: y, radius: radius * 2.2), with: glow)
        canvas.fill(.circle(x: x, y: y, radius: radius), with: .vertical(palette.light, palette.horizon))
        if dice.chance(0.3) {
            canvas.fill(
                .ring(x: x, y: y, radius: radius * 1.5, width: 0.7 * scale), with: .color(palette.light.opacity(0.6)))
        }
    }

    private static func drawHills(
        on canvas: inout Bitmap, _ palette: Palette, _ scale: Double, _ sheet: Double, _ dice: inout SeededRandom
    ) {
        for layer in 0..<3 {
            let base = sheet * (0.55 + 0.12 * Double(layer))
            var ridge = stride(from: 0.0, through: 100, by: 12.5).map { x in
                Shape.Point(x * scale, (base + dice.real(in: -9...7)) * scale)
            }
            ridge += [Shape.Point(100 * scale, sheet * scale), Shape.Point(0, sheet * scale)]
            let color = palette.horizon.mixed(with: palette.land, 0.45 + 0.27 * Double(layer))
            canvas.fill(.polygon(ridge), with: .vertical(color, palette.land))
        }
    }

    private static func drawTown(
        on canvas: inout Bitmap, _ palette: Palette, _ scale: Double, _ sheet: Double, _ dice: inout SeededRandom
    ) {
        var x = 0.0
        while x < 100 {
            let width = dice.real(in: 6...14)
            let top = sheet * dice.real(in: 0.48...0.72)
            canvas.fill(
                .rectangle(x: x * scale, y: top * scale, width: (width + 0.4) * scale, height: (sheet - top) * scale),
                with: .vertical(palette.horizon.mixed(with: palette.land, 0.8), palette.land))
            for row in 0..<3 where dice.chance(0.6) {
                let window = Shape.rectangle(
                    x: (x + width * dice.real(in: 0.15...0.6)) * scale, y: (top + 3 + Double(row) * 4) * scale,
                    width: 1.4 * scale, height: 1.8 * scale)
                canvas.fill(window, with: .color(palette.light.opacity(0.8)))
            }
            x += width
        }
    }

    /// The English title, word under word as they fit, since the letters have no Korean ones; and the small print.
    private static func drawTitle(
        of movie: SimulatedMovie, on canvas: inout Bitmap, _ palette: Palette, _ scale: Double, _ sheet: Double
    ) {
        var lines: [String] = []
        for word in movie.plainTitleEnglish.split(separator: " ").map(String.init) {
            if let last = lines.last, last.count + word.count < 12 {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(word)
            }
        }
        let longest = lines.map { Shape.cells(of: $0) }.max() ?? 1
        let cell = min(1.5, 84 / Double(max(1, longest)))
        var y = sheet * 0.84 - Double(lines.count) * cell * 9
        for line in lines + [""] {
            let x = (100 - Double(Shape.cells(of: line)) * cell) / 2
            let shade = Shape.text(line, x: (x + 0.5) * scale, y: (y + 0.5) * scale, cell: cell * scale)
            canvas.fill(shade, with: .color(palette.land.opacity(0.7)))
            canvas.fill(.text(line, x: x * scale, y: y * scale, cell: cell * scale), with: .color(palette.light))
            y += cell * 9
        }
        let print = "\(movie.opening) - \(movie.code)"
        let small = 0.55
        canvas.fill(
            .text(
                print, x: (100 - Double(Shape.cells(of: print)) * small) / 2 * scale, y: (sheet - 9) * scale,
                cell: small * scale),
            with: .color(palette.light.opacity(0.85)))
    }
}
