import Glibc

/// An area with straight edges, in pixels from the top left corner.
///
/// Everything is outlines: a point is inside if a line from it to the far left crosses their edges an odd number of times.
public struct Shape: Hashable, Sendable {
    /// A place on the canvas.
    public struct Point: Hashable, Sendable {
        /// Pixels from the left.
        public var x: Double
        /// Pixels from the top.
        public var y: Double

        /// Makes a place.
        public init(_ x: Double, _ y: Double) {
            self.x = x
            self.y = y
        }
    }

    let outlines: [[Point]]

    /// - Precondition: all coordinates are finite.
    init(outlines: [[Point]]) {
        precondition(outlines.allSatisfy { $0.allSatisfy { $0.x.isFinite && $0.y.isFinite } }, "Shape: not finite")
        self.outlines = outlines
    }

    /// The area within the lines from point to point and back to the first.
    public static func polygon(_ points: [Point]) -> Shape {
        Shape(outlines: [points])
    }

    /// A rectangle by its top left corner and its size.
    public static func rectangle(x: Double, y: Double, width: Double, height: Double) -> Shape {
        polygon([Point(x, y), Point(x + width, y), Point(x + width, y + height), Point(x, y + height)])
    }

    /// A disc around a point.
    public static func circle(x: Double, y: Double, radius: Double) -> Shape {
        polygon(circumference(x: x, y: y, radius: radius))
    }

    /// What lies between a circle and the one `width` further in.
    public static func ring(x: Double, y: Double, radius: Double, width: Double) -> Shape {
        Shape(outlines: [
            circumference(x: x, y: y, radius: radius), circumference(x: x, y: y, radius: max(0, radius - width)),
        ])
    }

    /// As many corners as keep the edge within a tenth of a pixel of the circle.
    private static func circumference(x: Double, y: Double, radius: Double) -> [Point] {
        let count = max(12, min(360, Int(8 * radius.magnitude.squareRoot())))
        return (0..<count).map { index in
            let angle = 2 * Double.pi * Double(index) / Double(count)
            return Point(x + radius * cos(angle), y + radius * sin(angle))
        }
    }
}
