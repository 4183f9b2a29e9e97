/// A value that writes its own JSON, for what is written too often to go through `Encodable`.
///
/// The bytes are those of Foundation's encoder with sorted keys and without escaped slashes: members stand in the order of
/// their names, so that equal values have equal bytes, whoever wrote them.
public protocol JSONWritable {
    /// Appends the value.
    func write(to json: inout [UInt8])
}

extension JSONWritable {
    /// The value as a text of its own.
    public var json: [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(4_096)
        write(to: &json)
        return json
    }
}

extension Array: JSONWritable where Element: JSONWritable {
    /// Writes an array.
    @inlinable
    public func write(to json: inout [UInt8]) {
        json.append(UInt8(ascii: "["))
        for (place, element) in enumerated() {
            if place > 0 { json.append(UInt8(ascii: ",")) }
            element.write(to: &json)
        }
        json.append(UInt8(ascii: "]"))
    }
}

extension Optional: JSONWritable where Wrapped: JSONWritable {
    /// Writes the value, or null.
    @inlinable
    public func write(to json: inout [UInt8]) {
        if let self { self.write(to: &json) } else { json.appendJSON("null") }
    }
}

extension String: JSONWritable {
    /// Writes the text in its quotes.
    public func write(to json: inout [UInt8]) { json.appendText(self) }
}

extension Int: JSONWritable {
    /// Writes the digits.
    public func write(to json: inout [UInt8]) { json.appendNumber(self) }
}

extension Bool: JSONWritable {
    /// Writes `true` or `false`.
    public func write(to json: inout [UInt8]) { json.appendJSON(self ? "true" : "false") }
}

extension [UInt8] {
    /// Writes a member of an object: `{` or a comma, the name, which has nothing in it to escape, and the value.
    @inlinable
    public mutating func member(_ name: StaticString, _ value: some JSONWritable, isFirst: Bool = false) {
        beginMember(name, isFirst: isFirst)
        value.write(to: &self)
    }

    /// Ends an object that has a member.
    public mutating func endObject() {
        append(UInt8(ascii: "}"))
    }

    /// Begins a member of an object: `{` or a comma, then the name, which has nothing in it to escape.
    public mutating func beginMember(_ name: StaticString, isFirst: Bool = false) {
        append(isFirst ? UInt8(ascii: "{") : UInt8(ascii: ","))
        append(UInt8(ascii: "\""))
        append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        append(UInt8(ascii: "\""))
        append(UInt8(ascii: ":"))
    }

    /// Appends bytes that are JSON already, such as digits.
    public mutating func appendJSON(_ text: String) {
        append(contentsOf: text.utf8)
    }

    /// Appends a whole number.
    public mutating func appendNumber(_ number: Int) {
        if number < 0 { append(UInt8(ascii: "-")) }
        // From the last digit to the first, of which there are twenty at the most.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var first = digits.count
            var rest = number.magnitude
            repeat {
                first -= 1
                digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            append(contentsOf: UnsafeBufferPointer(rebasing: digits[first...]))
        }
    }

    /// Appends a text in its quotes.
    public mutating func appendText(_ text: String) {
        append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes in
            if bytes.plain(from: 0).end == bytes.count {
                append(contentsOf: bytes)
            } else {
                appendEscaped(bytes)
            }
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(contentsOf: [UInt8(ascii: "\\"), byte])
            case 0x08: appendJSON("\\b")
            case 0x09: appendJSON("\\t")
            case 0x0A: appendJSON("\\n")
            case 0x0C: appendJSON("\\f")
            case 0x0D: appendJSON("\\r")
            case ..<0x20: appendJSON("\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))")
            default: append(byte)
            }
        }
    }
}
