/// A value that writes its own JSON, for what is written too often to go through `Encodable`.
///
/// The bytes are those of Foundation's encoder with sorted keys and without escaped slashes: members stand in the order of
/// their names, so that equal values have equal bytes, whoever wrote them.
public protocol JSONWritable {
    /// Appends the value.
    func write(to json: inout JSONWriter)
}

extension JSONWritable {
    /// The value as a text of its own.
    public var json: [UInt8] {
        var json = JSONWriter()
        write(to: &json)
        return json.bytes
    }
}

extension Array: JSONWritable where Element: JSONWritable {
    /// Writes an array.
    @inlinable
    public func write(to json: inout JSONWriter) {
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
    public func write(to json: inout JSONWriter) {
        if let self { self.write(to: &json) } else { json.appendJSON("null") }
    }
}

extension String: JSONWritable {
    /// Writes the text in its quotes.
    public func write(to json: inout JSONWriter) { json.appendText(self) }
}

extension Int: JSONWritable {
    /// Writes the digits.
    public func write(to json: inout JSONWriter) { json.appendNumber(self) }
}

extension Bool: JSONWritable {
    /// Writes `true` or `false`.
    public func write(to json: inout JSONWriter) { json.appendJSON(self ? "true" : "false") }
}
