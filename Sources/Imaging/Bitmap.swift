/// An image of opaque pixels in memory.
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

    /// Makes a bitmap whose pixel in column `x` and row `y`, from the top left, is `color(x, y)`.
    ///
    /// - Precondition: both sides are 1 to 16,384 pixels.
    public init(width: Int, height: Int, color: (_ x: Int, _ y: Int) -> Color) {
        self.init(width: width, height: height)
        var next = 0
        for y in 0..<height {
            for x in 0..<width {
                let color = color(x, y)
                (pixels[next], pixels[next + 1], pixels[next + 2]) = (color.red, color.green, color.blue)
                next += 3
            }
        }
    }

    init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(pixels.count == width * height * 3, "Bitmap.init: \(pixels.count) bytes for \(width) × \(height)")
        self.width = width
        self.height = height
        self.pixels = pixels
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
