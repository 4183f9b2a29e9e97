extension UnsafeBufferPointer<UInt8> {
    /// How far, from `start` on, there are bytes that a text in JSON has as they are (no quote, no backslash, no control
    /// character), and whether all of them are ASCII.
    func plain(from start: Int) -> (end: Int, isASCII: Bool) {
        let bytes = UnsafeRawBufferPointer(self)
        let (ones, tops) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
        var end = start
        var seen: UInt64 = 0
        // Eight at a time, while nothing else is among them.
        while end + 8 <= count {
            let word = bytes.loadUnaligned(fromByteOffset: end, as: UInt64.self)
            // A byte of x is zero exactly where (x - ones) & ~x has the lowest top bit set; below 0x20 likewise.
            let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let slashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            let special =
                ((quotes &- ones) & ~quotes) | ((slashes &- ones) & ~slashes) | ((word &- ones &* 0x20) & ~word)
            let marks = UInt64(littleEndian: special & tops)
            guard marks == 0 else {
                let plain = marks.trailingZeroBitCount / 8
                seen |= UInt64(littleEndian: word) & ((1 << (UInt64(plain) * 8)) - 1)
                return (end + plain, seen & tops == 0)
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
