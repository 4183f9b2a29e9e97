extension Bitmap {
    /// The picture no larger than `width` × `height`, in its own proportions: each pixel is the average of the area that
    /// it stands for. One that fits already stays as it is.
    public func shrunk(toFit width: Int, _ height: Int) -> Bitmap {
        precondition(width > 0 && height > 0, "Canvas.shrunk: \(width) × \(height)")
        let scale = min(1, Double(width) / Double(self.width), Double(height) / Double(self.height))
        guard scale < 1 else { return self }
        let w = max(1, Int((Double(self.width) * scale).rounded()))
        let h = max(1, Int((Double(self.height) * scale).rounded()))
        let rows = Self.shrinkRows(pixels, from: self.width, to: w, height: self.height)
        return Bitmap(width: w, height: h, pixels: Self.shrinkColumns(rows, width: w, from: self.height, to: h))
    }

    /// Which pixels a smaller picture's pixel stands for, and how much of each, in 65,536ths.
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
            var place = 0
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
                    result.initializeElement(at: place, to: UInt8(min(255, red >> 16)))
                    result.initializeElement(at: place + 1, to: UInt8(min(255, green >> 16)))
                    result.initializeElement(at: place + 2, to: UInt8(min(255, blue >> 16)))
                    place += 3
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
