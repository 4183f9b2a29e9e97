import Imaging

/// A drawn poster: a sky with a sun and stars, hills or a town, the title and the opening day.
///
/// Everything follows from the movie's random numbers.
struct PosterDrawing {
    private var canvas: Bitmap
    private let palette: Palette
    /// A hundredth of the width: the unit of the layout, in pixels.
    private let scale: Double
    /// The height, in that unit.
    private let sheet: Double

    /// Draws a hit's image. The images of a movie share their colours and differ in the scene.
    init(of hit: ImageHit, width: Int, height: Int) {
        var random = hit.movie.random(for: .poster)
        canvas = Bitmap(width: width, height: height)
        palette = Palette(&random)
        scale = Double(width) / 100
        sheet = Double(height) / scale
        random = random.branch(hit.number)
        canvas.fill(with: .vertical(palette.sky, palette.horizon))
        drawStars(&random)
        drawSun(&random)
        if random.chance(0.5) { drawHills(&random) } else { drawTown(&random) }
        drawTitle(of: hit.movie)
    }

    func encoded(isPNG: Bool) -> [UInt8] {
        isPNG ? canvas.encodePNG() : canvas.encodeJPEG()
    }

    private struct Palette {
        let sky: Color
        let horizon: Color
        let light: Color
        let land: Color

        init(_ random: inout SeededRandom) {
            let hue = random.unit()
            let isNight = random.chance(0.55)
            func wheel(_ turn: Double) -> Double { (hue + turn).truncatingRemainder(dividingBy: 1) }
            sky = Color(hue: hue, saturation: 0.75, brightness: isNight ? 0.2 : 0.7)
            horizon = Color(hue: wheel(0.1), saturation: 0.6, brightness: isNight ? 0.6 : 0.97)
            light = Color(hue: wheel(0.55), saturation: 0.3, brightness: 1)
            land = Color(hue: wheel(0.05), saturation: 0.7, brightness: 0.14)
        }
    }

    private mutating func drawStars(_ random: inout SeededRandom) {
        for _ in 0..<random.integer(in: 10...40) {
            let star = Shape.circle(
                x: random.real(in: 0...100) * scale, y: random.real(in: 0...sheet * 0.6) * scale,
                radius: random.real(in: 0.2...0.6) * scale)
            canvas.fill(star, with: .color(palette.light.opacity(random.real(in: 0.2...0.8))))
        }
    }

    private mutating func drawSun(_ random: inout SeededRandom) {
        let x = random.real(in: 20...80) * scale
        let y = random.real(in: 0.18...0.5) * sheet * scale
        let radius = random.real(in: 9...24) * scale
        let glow = Fill.radial(palette.light.opacity(0.7), palette.light.opacity(0))
        canvas.fill(.circle(x: x, y: y, radius: radius * 2.2), with: glow)
        canvas.fill(.circle(x: x, y: y, radius: radius), with: .vertical(palette.light, palette.horizon))
        if random.chance(0.3) {
            canvas.fill(
                .ring(x: x, y: y, radius: radius * 1.5, width: 0.7 * scale), with: .color(palette.light.opacity(0.6)))
        }
    }

    private mutating func drawHills(_ random: inout SeededRandom) {
        for layer in 0..<3 {
            let base = sheet * (0.55 + 0.12 * Double(layer))
            var ridge = stride(from: 0.0, through: 100, by: 12.5).map { x in
                Shape.Point(x * scale, (base + random.real(in: -9...7)) * scale)
            }
            ridge += [Shape.Point(100 * scale, sheet * scale), Shape.Point(0, sheet * scale)]
            let color = palette.horizon.mixed(with: palette.land, 0.45 + 0.27 * Double(layer))
            canvas.fill(.polygon(ridge), with: .vertical(color, palette.land))
        }
    }

    private mutating func drawTown(_ random: inout SeededRandom) {
        var x = 0.0
        while x < 100 {
            let width = random.real(in: 6...14)
            let top = sheet * random.real(in: 0.48...0.72)
            canvas.fill(
                .rectangle(x: x * scale, y: top * scale, width: (width + 0.4) * scale, height: (sheet - top) * scale),
                with: .vertical(palette.horizon.mixed(with: palette.land, 0.8), palette.land))
            for row in 0..<3 where random.chance(0.6) {
                let window = Shape.rectangle(
                    x: (x + width * random.real(in: 0.15...0.6)) * scale, y: (top + 3 + Double(row) * 4) * scale,
                    width: 1.4 * scale, height: 1.8 * scale)
                canvas.fill(window, with: .color(palette.light.opacity(0.8)))
            }
            x += width
        }
    }

    /// Draws the English title in lines that fit, because the font has no Korean letters, and the opening day below it.
    private mutating func drawTitle(of movie: SimulatedMovie) {
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
