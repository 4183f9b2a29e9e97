/// An image of opaque pixels in memory. Shapes are drawn on it with anti-aliased edges.
public struct Bitmap: Sendable {
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    /// The red, green and blue bytes of each pixel, row by row from the top.
    public private(set) var pixels: [UInt8]

    /// Makes a black bitmap.
    ///
    /// - Precondition: both sides are 1 to 16,384 pixels.
    public init(width: Int, height: Int) {
        let sides = 1...ImageHeader.maximumSide
        precondition(sides.contains(width) && sides.contains(height), "Bitmap.init: \(width) × \(height)")
        self.width = width
        self.height = height
        pixels = [UInt8](repeating: 0, count: width * height * 3)
    }

    init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(pixels.count == width * height * 3, "Bitmap.init: \(pixels.count) bytes for \(width) × \(height)")
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    // MARK: Drawing

    /// Fills the whole bitmap.
    public mutating func fill(with fill: Fill) {
        self.fill(.rectangle(x: 0, y: 0, width: Double(width), height: Double(height)), with: fill)
    }

    /// Fills a shape, which is clipped to the bitmap.
    public mutating func fill(_ shape: Shape, with fill: Fill) {
        let edges = shape.outlines.flatMap(Edge.edges(of:))
        guard let box = Box(shape) else { return }
        let top = Int(max(0, min(Double(height), box.top.rounded(.down))))
        let bottom = Int(max(0, min(Double(height), box.bottom.rounded(.up))))
        for y in top..<bottom {
            blend(fill, in: box, over: coverage(of: edges, in: y), row: y)
        }
    }

    /// Returns the covered share of each pixel of a row, as differences between neighbours to be summed from the left.
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

    private mutating func blend(_ fill: Fill, in box: Box, over steps: [Float], row y: Int) {
        guard let first = steps.firstIndex(where: { $0 != 0 }), first < width else { return }
        let rowColor =
            switch fill {
            case .color(let color), .radial(let color, _): color
            case .vertical(let top, let bottom):
                top.mixed(with: bottom, (Double(y) + 0.5 - box.top) / (box.bottom - box.top))
            }
        var covered: Float = 0
        for x in first..<width {
            covered += steps[x]
            guard covered > 0.002 else { continue }
            var color = rowColor
            if case .radial(let inner, let outer) = fill {
                let distance = box.distance(x: Double(x) + 0.5, y: Double(y) + 0.5)
                // The slope is zero at both ends, so that no rim is visible where the outer colour begins.
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

    // MARK: Shrinking

    /// Returns the bitmap shrunk to at most `width` × `height`, with the same proportions.
    ///
    /// Each pixel is the average of the area that it covers. A bitmap that fits is returned unchanged.
    public func shrunk(toFit width: Int, _ height: Int) -> Bitmap {
        precondition(width > 0 && height > 0, "Bitmap.shrunk: \(width) × \(height)")
        let scale = min(1, Double(width) / Double(self.width), Double(height) / Double(self.height))
        guard scale < 1 else { return self }
        let w = max(1, Int((Double(self.width) * scale).rounded()))
        let h = max(1, Int((Double(self.height) * scale).rounded()))
        let rows = Self.shrinkRows(pixels, from: self.width, to: w, height: self.height)
        return Bitmap(width: w, height: h, pixels: Self.shrinkColumns(rows, width: w, from: self.height, to: h))
    }

    /// The source pixels of a pixel, and the weight of each in 65,536ths.
    private struct Span {
        let first: Int
        let weights: [UInt32]

        static func spans(from count: Int, to smaller: Int) -> [Span] {
            let ratio = Double(count) / Double(smaller)
            return (0..<smaller).map { index in
                let (start, end) = (Double(index) * ratio, min(Double(count), Double(index + 1) * ratio))
                let first = Int(start)
                let shares = (first..<max(first + 1, min(count, Int(end.rounded(.up))))).map { pixel in
                    max(0, min(Double(pixel + 1), end) - max(Double(pixel), start))
                }
                let whole = shares.reduce(0, +)
                return Span(first: first, weights: shares.map { UInt32(($0 / whole * 65_536).rounded()) })
            }
        }
    }

    private static func shrinkRows(_ pixels: [UInt8], from width: Int, to smaller: Int, height: Int) -> [UInt8] {
        let spans = Span.spans(from: width, to: smaller)
        return [UInt8](unsafeUninitializedCapacity: smaller * height * 3) { result, count in
            count = smaller * height * 3
            var target = 0
            for y in 0..<height {
                for span in spans {
                    var source = (y * width + span.first) * 3
                    var (red, green, blue) = (UInt32(32_768), UInt32(32_768), UInt32(32_768))
                    for weight in span.weights {
                        red &+= UInt32(pixels[source]) &* weight
                        green &+= UInt32(pixels[source + 1]) &* weight
                        blue &+= UInt32(pixels[source + 2]) &* weight
                        source += 3
                    }
                    result.initializeElement(at: target, to: UInt8(min(255, red >> 16)))
                    result.initializeElement(at: target + 1, to: UInt8(min(255, green >> 16)))
                    result.initializeElement(at: target + 2, to: UInt8(min(255, blue >> 16)))
                    target += 3
                }
            }
        }
    }

    private static func shrinkColumns(_ pixels: [UInt8], width: Int, from height: Int, to smaller: Int) -> [UInt8] {
        let row = width * 3
        var result: [UInt8] = []
        result.reserveCapacity(row * smaller)
        for span in Span.spans(from: height, to: smaller) {
            var sums = [UInt32](repeating: 32_768, count: row)
            for (index, weight) in span.weights.enumerated() {
                let start = (span.first + index) * row
                for offset in 0..<row { sums[offset] &+= UInt32(pixels[start + offset]) &* weight }
            }
            for sum in sums { result.append(UInt8(min(255, sum >> 16))) }
        }
        return result
    }
}

/// A side of a polygon that is not horizontal.
private struct Edge {
    let upper: Shape.Point
    let lower: Shape.Point

    static func edges(of outline: [Shape.Point]) -> [Edge] {
        zip(outline, outline.dropFirst() + outline.prefix(1)).compactMap { one, other in
            one.y == other.y ? nil : one.y < other.y ? Edge(upper: one, lower: other) : Edge(upper: other, lower: one)
        }
    }

    /// Returns the x at which the edge crosses the line `y`. A corner belongs to the lower of its two edges.
    func crossing(at y: Double) -> Double? {
        guard upper.y <= y, y < lower.y else { return nil }
        return upper.x + (lower.x - upper.x) * (y - upper.y) / (lower.y - upper.y)
    }
}

/// The bounding box of a shape.
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

    /// Returns the distance from the middle in units of half the width, at most 1.
    func distance(x: Double, y: Double) -> Double {
        let across = x - (left + right) / 2
        let down = y - (top + bottom) / 2
        return min(1, (across * across + down * down).squareRoot() * 2 / (right - left))
    }
}
