/// A value that writes its own JSON, because it is written too often for `Encodable`.
///
/// The bytes are those of Foundation's encoder with sorted keys and without escaped slashes: members are written in the order
/// of their names, so that equal values have equal bytes.
public protocol JSONWritable {
    /// Appends the JSON of the value.
    func write(to json: inout JSONWriter)
}

extension JSONWritable {
    /// The JSON of the value.
    public var json: [UInt8] {
        var json = JSONWriter()
        write(to: &json)
        return json.bytes
    }
}

extension Array: JSONWritable where Element: JSONWritable {
    /// Writes an array.
    public func write(to json: inout JSONWriter) {
        json.append(UInt8(ascii: "["))
        for (index, element) in enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            element.write(to: &json)
        }
        json.append(UInt8(ascii: "]"))
    }
}

extension Optional: JSONWritable where Wrapped: JSONWritable {
    /// Writes the value, or null.
    public func write(to json: inout JSONWriter) {
        if let self { self.write(to: &json) } else { json.appendJSON("null") }
    }
}

extension String: JSONWritable {
    /// Writes a string.
    public func write(to json: inout JSONWriter) { json.appendText(self) }
}

extension Int: JSONWritable {
    /// Writes a number.
    public func write(to json: inout JSONWriter) { json.appendNumber(self) }
}

extension Double: JSONWritable {
    /// Writes the shortest digits that stand for a finite number.
    public func write(to json: inout JSONWriter) { json.appendJSON(String(self)) }
}

extension Bool: JSONWritable {
    /// Writes `true` or `false`.
    public func write(to json: inout JSONWriter) { json.appendJSON(self ? "true" : "false") }
}
