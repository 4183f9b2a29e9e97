/// An sRGB colour.
public struct Color: Hashable, Sendable {
    /// Red, 0 to 255.
    public var red: UInt8
    /// Green, 0 to 255.
    public var green: UInt8
    /// Blue, 0 to 255.
    public var blue: UInt8

    /// Makes a colour from `0xRRGGBB`.
    public init(_ code: UInt32) {
        red = UInt8(truncatingIfNeeded: code >> 16)
        green = UInt8(truncatingIfNeeded: code >> 8)
        blue = UInt8(truncatingIfNeeded: code)
    }

    /// Makes a colour from hue, saturation and brightness, each 0 to 1. Hue 0 is red, ⅓ green, ⅔ blue, 1 red again.
    public init(hue: Double, saturation: Double, brightness: Double) {
        func channel(_ offset: Double) -> UInt8 {
            let position = ((hue - hue.rounded(.down)) * 6 + offset).truncatingRemainder(dividingBy: 6)
            let share = max(0, min(1, min(position, 4 - position)))
            return UInt8(max(0, min(255, (255 * brightness * (1 - saturation * share)).rounded())))
        }
        red = channel(5)
        green = channel(3)
        blue = channel(1)
    }
}
