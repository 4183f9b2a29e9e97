extension Span<UInt8> {
    /// Returns the end of the bytes from `start` on that need no escape in a JSON string: no quote, no backslash and no
    /// control character. `isASCII` is true if all of them are ASCII.
    func unescapedPrefix(from start: Int) -> (end: Int, isASCII: Bool) {
        let (ones, tops) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
        let raw = bytes
        var end = start
        var seen: UInt64 = 0
        // Eight bytes at a time, until one of them is special.
        while end + 8 <= count {
            let word = raw.unsafeLoadUnaligned(fromByteOffset: end, as: UInt64.self)
            // A byte of x is zero exactly where (x - ones) & ~x has the lowest top bit set; below 0x20 likewise.
            let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let slashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            let special =
                ((quotes &- ones) & ~quotes) | ((slashes &- ones) & ~slashes) | ((word &- ones &* 0x20) & ~word)
            let marks = UInt64(littleEndian: special & tops)
            guard marks == 0 else {
                let unescaped = marks.trailingZeroBitCount / 8
                seen |= UInt64(littleEndian: word) & ((1 << (UInt64(unescaped) * 8)) - 1)
                return (end + unescaped, seen & tops == 0)
            }
            seen |= word
            end += 8
        }
        while end < count {
            let byte = self[end]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
            seen |= UInt64(byte)
            end += 1
        }
        return (end, seen & tops == 0)
    }
}
