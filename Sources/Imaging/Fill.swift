/// How a shape is coloured. Colours may let through what is behind them.
public enum Fill: Hashable, Sendable {
    /// One colour.
    case color(Color)
    /// From the first colour at the shape's top to the second at its bottom.
    case vertical(Color, Color)
    /// From the first colour in the middle of the shape to the second at half its width away.
    case radial(Color, Color)
}
