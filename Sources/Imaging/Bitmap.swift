/// A picture to draw on: shapes over shapes, with smooth edges.
public struct Bitmap: Sendable {
    /// Pixels from left to right.
    public let width: Int
    /// Pixels from top to bottom.
    public let height: Int
    /// Red, green and blue of each pixel, row by row from the top.
    public private(set) var pixels: [UInt8]

    /// Makes a black picture.
    ///
    /// - Precondition: both sides are 1 to 16,384 pixels.
    public init(width: Int, height: Int) {
        let sides = 1...ImageHeader.longestSide
        precondition(sides.contains(width) && sides.contains(height), "Canvas.init: \(width) × \(height)")
        self.width = width
        self.height = height
        pixels = [UInt8](repeating: 0, count: width * height * 3)
    }

    /// Takes the pixels of a picture.
    init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(pixels.count == width * height * 3, "Canvas.init: \(pixels.count) bytes for \(width) × \(height)")
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// Paints the whole picture.
    public mutating func fill(with paint: Fill) {
        fill(.rectangle(x: 0, y: 0, width: Double(width), height: Double(height)), with: paint)
    }

    /// Paints `shape`; what lies outside of the picture is left out.
    public mutating func fill(_ shape: Shape, with paint: Fill) {
        let edges = shape.outlines.flatMap(Edge.edges(of:))
        guard let box = Box(shape) else { return }
        let top = Int(max(0, min(Double(height), box.top.rounded(.down))))
        let bottom = Int(max(0, min(Double(height), box.bottom.rounded(.up))))
        for y in top..<bottom {
            blend(paint, in: box, over: coverage(of: edges, in: y), row: y)
        }
    }

    /// How much of each pixel of a row lies inside: as differences between neighbours, to be summed from the left.
    private func coverage(of edges: [Edge], in row: Int) -> [Float] {
        var steps = [Float](repeating: 0, count: width + 2)
        let lines = 4
        for line in 0..<lines {
            let y = Double(row) + (Double(line) + 0.5) / Double(lines)
            var isInside = false
            for x in edges.compactMap({ $0.crossing(at: y) }).sorted() {
                isInside.toggle()
                let x = max(0, min(Double(width), x))
                let pixel = Int(x)
                let share = Float(x - Double(pixel))
                let weight: Float = (isInside ? 1 : -1) / Float(lines)
                steps[pixel] += weight * (1 - share)
                steps[pixel + 1] += weight * share
            }
        }
        return steps
    }

    private mutating func blend(_ paint: Fill, in box: Box, over steps: [Float], row y: Int) {
        guard let first = steps.firstIndex(where: { $0 != 0 }), first < width else { return }
        let rowColor =
            switch paint {
            case .color(let color), .radial(let color, _): color
            case .vertical(let top, let bottom):
                top.mixed(with: bottom, (Double(y) + 0.5 - box.top) / (box.bottom - box.top))
            }
        var covered: Float = 0
        for x in first..<width {
            covered += steps[x]
            guard covered > 0.002 else { continue }
            var color = rowColor
            if case .radial(let inner, let outer) = paint {
                let distance = box.distance(x: Double(x) + 0.5, y: Double(y) + 0.5)
                // Level at both ends, so that the eye sees no rim where the outer colour begins.
                color = inner.mixed(with: outer, distance * distance * (3 - 2 * distance))
            }
            let share = Int(max(0, min(256, 256 * color.opacity * Double(covered))))
            let pixel = (y * width + x) * 3
            pixels[pixel] = mix(pixels[pixel], color.red, share)
            pixels[pixel + 1] = mix(pixels[pixel + 1], color.green, share)
            pixels[pixel + 2] = mix(pixels[pixel + 2], color.blue, share)
        }
    }

    private func mix(_ below: UInt8, _ above: UInt8, _ share: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: (Int(below) * (256 - share) + Int(above) * share + 128) >> 8)
    }
}

/// One side of an outline that is not level.
private struct Edge {
    let upper: Shape.Point
    let lower: Shape.Point

    static func edges(of outline: [Shape.Point]) -> [Edge] {
        zip(outline, outline.dropFirst() + outline.prefix(1)).compactMap { one, other in
            one.y == other.y ? nil : one.y < other.y ? Edge(upper: one, lower: other) : Edge(upper: other, lower: one)
        }
    }

    /// Where the edge crosses the level `y`. An end belongs to the lower edge of the two that meet there.
    func crossing(at y: Double) -> Double? {
        guard upper.y <= y, y < lower.y else { return nil }
        return upper.x + (lower.x - upper.x) * (y - upper.y) / (lower.y - upper.y)
    }
}

/// What a shape spans.
private struct Box {
    let left: Double
    let right: Double
    let top: Double
    let bottom: Double

    init?(_ shape: Shape) {
        let points = shape.outlines.joined()
        let xs = points.map(\.x)
        let ys = points.map(\.y)
        guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max(), top < bottom else {
            return nil
        }
        self.left = left
        self.right = right
        self.top = top
        self.bottom = bottom
    }

    /// From 0 in the middle to 1 at half the width away, and no further.
    func distance(x: Double, y: Double) -> Double {
        let across = x - (left + right) / 2
        let down = y - (top + bottom) / 2
        return min(1, (across * across + down * down).squareRoot() * 2 / (right - left))
    }
}
