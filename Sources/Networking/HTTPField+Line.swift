internal import Text

extension HTTPField {
    /// Reads a header line, or nothing if it is none.
    init?(line: UnsafeRawBufferPointer) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let isBlank: (UInt8) -> Bool = { " \t\r\n".utf8.contains($0) }
        var value = line[(colon + 1)...].drop(while: isBlank)
        while let last = value.last, isBlank(last) { value.removeLast() }
        self.init(String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    /// Whether this is its name; in ASCII, whatever the case (RFC 9110, 5.1).
    func isNamed(_ name: String) -> Bool {
        self.name.utf8.elementsEqual(name.utf8) { $0.asciiLowercased == $1.asciiLowercased }
    }

    /// Whether the field fits into one header line and adds no other (RFC 9110, 5.1 and 5.5).
    var isSendable: Bool {
        !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
            && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
