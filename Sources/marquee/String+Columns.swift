extension String {
    /// How many columns the text takes on a terminal: East Asian letters and emoji take two, marks on a letter none.
    var columns: Int {
        unicodeScalars.reduce(0) { $0 + $1.columns }
    }
}

extension Unicode.Scalar {
    /// The blocks that UAX 11 calls wide or fullwidth, to the nearest hundred code points that are in use.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1FAFF, 0x20000...0x3FFFD,
    ]

    /// The vowels and finals of a syllable that is written in its parts: they stand within the first one's columns.
    private static let laterJamo: ClosedRange<UInt32> = 0x1160...0x11FF

    fileprivate var columns: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: 0
        case _ where Self.laterJamo.contains(value): 0
        default: Self.wide.contains { $0.contains(value) } ? 2 : 1
        }
    }
}
