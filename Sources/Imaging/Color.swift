/// An sRGB colour with an opacity.
public struct Color: Hashable, Sendable {
    /// Red, 0 to 255.
    public var red: UInt8
    /// Green, 0 to 255.
    public var green: UInt8
    /// Blue, 0 to 255.
    public var blue: UInt8
    /// From 0, transparent, to 1, opaque.
    public var opacity: Double

    /// Makes a colour from `0xRRGGBB`.
    public init(_ code: UInt32, opacity: Double = 1) {
        red = UInt8(truncatingIfNeeded: code >> 16)
        green = UInt8(truncatingIfNeeded: code >> 8)
        blue = UInt8(truncatingIfNeeded: code)
        self.opacity = opacity
    }

    /// Makes an opaque colour from hue, saturation and brightness, each 0 to 1. Hue 0 is red, ⅓ green, ⅔ blue, 1 red again.
    public init(hue: Double, saturation: Double, brightness: Double) {
        func channel(_ offset: Double) -> UInt8 {
            let position = ((hue - hue.rounded(.down)) * 6 + offset).truncatingRemainder(dividingBy: 6)
            let share = max(0, min(1, min(position, 4 - position)))
            return UInt8(max(0, min(255, (255 * brightness * (1 - saturation * share)).rounded())))
        }
        red = channel(5)
        green = channel(3)
        blue = channel(1)
        opacity = 1
    }

    /// Returns the colour with another opacity.
    public func opacity(_ opacity: Double) -> Color {
        var color = self
        color.opacity = opacity
        return color
    }

    /// Returns a colour between two: for a share of 0 this one, for 1 the other.
    public func mixed(with other: Color, _ share: Double) -> Color {
        func mix(_ one: UInt8, _ two: UInt8) -> UInt8 {
            UInt8(max(0, min(255, (Double(one) + (Double(two) - Double(one)) * share).rounded())))
        }
        var color = self
        color.red = mix(red, other.red)
        color.green = mix(green, other.green)
        color.blue = mix(blue, other.blue)
        color.opacity = opacity + (other.opacity - opacity) * share
        return color
    }
}

/// The colours of a shape: one, or a gradient between two. They may be translucent.
public enum Fill: Hashable, Sendable {
    /// One colour.
    case color(Color)
    /// A gradient from the first colour at the top of the shape to the second at its bottom.
    case vertical(Color, Color)
    /// A gradient from the first colour in the middle of the shape to the second, half its width away.
    case radial(Color, Color)
}
