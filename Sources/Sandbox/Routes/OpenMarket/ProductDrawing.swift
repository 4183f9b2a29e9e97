import Imaging

/// A drawn product image: an object on a table. Its shape and colours follow from the image's name.
struct ProductDrawing {
    private let canvas: Bitmap

    init(_ name: String, side: Int) {
        var random = SeededRandom(seed: name.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })
        let hue = random.unit()
        let size = Double(side)
        var canvas = Bitmap(width: side, height: side)
        canvas.fill(
            with: .vertical(
                Color(hue: hue, saturation: 0.15, brightness: 0.97), Color(hue: hue, saturation: 0.3, brightness: 0.85))
        )
        canvas.fill(
            .rectangle(x: 0, y: size * 0.72, width: size, height: size * 0.28),
            with: .color(Color(hue: hue, saturation: 0.4, brightness: 0.5)))
        let paint = Fill.radial(
            Color(hue: 1 - hue, saturation: 0.5, brightness: 1), Color(hue: 1 - hue, saturation: 0.8, brightness: 0.6))
        let radius = size * random.real(in: 0.2...0.3)
        if random.chance(0.5) {
            canvas.fill(.circle(x: size / 2, y: size * 0.78 - radius, radius: radius), with: paint)
        } else {
            canvas.fill(
                .rectangle(x: size / 2 - radius, y: size * 0.78 - 2 * radius, width: 2 * radius, height: 2 * radius),
                with: paint)
        }
        self.canvas = canvas
    }

    func encoded() -> [UInt8] {
        canvas.encodeJPEG()
    }
}
