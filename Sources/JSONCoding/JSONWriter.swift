import Text

/// Appends JSON to a buffer that grows. The caller is responsible for the grammar: only commas between members are added.
public struct JSONWriter: ~Copyable {
    // Memory of its own: an array checks at each append that it is uniquely referenced, a hundred times per event.
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private var count = 0

    /// Makes a writer with room for `capacity` bytes; it grows when it needs more.
    public init(capacity: Int = 4_096) {
        self.capacity = capacity
        start = .allocate(capacity: capacity)
    }

    deinit {
        start.deallocate()
    }

    /// Whether nothing has been written.
    public var isEmpty: Bool { count == 0 }

    /// A copy of what has been written.
    public var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

    // MARK: Objects

    /// Writes a member of an object: `{` or a comma, the name, which must need no escaping, and the value.
    public mutating func member(_ name: String, _ value: some JSONWritable, isFirst: Bool = false) {
        beginMember(name, isFirst: isFirst)
        value.write(to: &self)
    }

    /// Begins a member of an object: `{` or a comma, then the name, which must need no escaping.
    public mutating func beginMember(_ name: String, isFirst: Bool = false) {
        name.utf8.span.withUnsafeBufferPointer { name in
            let end = room(for: name.count + 4)
            end[0] = isFirst ? UInt8(ascii: "{") : UInt8(ascii: ",")
            end[1] = UInt8(ascii: "\"")
            if let first = name.baseAddress { (end + 2).update(from: first, count: name.count) }
            end[name.count + 2] = UInt8(ascii: "\"")
            end[name.count + 3] = UInt8(ascii: ":")
            count += name.count + 4
        }
    }

    /// Ends an object that has a member.
    public mutating func endObject() { append(UInt8(ascii: "}")) }

    /// Writes an object with the given members in their order, or an empty one; names are escaped.
    public mutating func appendObject(_ members: some Sequence<(String, some JSONWritable)>) {
        append(UInt8(ascii: "{"))
        var isFirst = true
        for (name, value) in members {
            if !isFirst { append(UInt8(ascii: ",")) }
            isFirst = false
            appendText(name)
            append(UInt8(ascii: ":"))
            value.write(to: &self)
        }
        append(UInt8(ascii: "}"))
    }

    // MARK: Values

    /// Appends a whole number.
    public mutating func appendNumber(_ number: Int) {
        if number < 0 { append(UInt8(ascii: "-")) }
        let magnitude = UInt64(number.magnitude)
        let width = magnitude.digitCount
        var digits = UnsafeMutableBufferPointer(start: room(for: width), count: width).mutableSpan
        digits.write(digitsOf: magnitude, into: 0..<width)
        count += width
    }

    /// Appends a string in quotes.
    public mutating func appendText(_ text: String) {
        append(UInt8(ascii: "\""))
        let bytes = text.utf8.span
        var start = 0
        while true {
            let end = bytes.unescapedPrefix(from: start).end
            append(bytes.extracting(start..<end))
            guard end < bytes.count else { break }
            appendEscape(bytes[end])
            start = end + 1
        }
        append(UInt8(ascii: "\""))
    }

    /// Appends a string in quotes, in which further scalars are escaped, which must not be above U+FFFF.
    public mutating func appendText(_ text: String, escaping isEscaped: (Unicode.Scalar) -> Bool) {
        append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\", "\0"..<" ": appendEscape(UInt8(scalar.value))
            case _ where isEscaped(scalar): appendHexEscape(scalar.value)
            default: for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { append(byte) }
            }
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): appendJSON("\\\"")
        case UInt8(ascii: "\\"): appendJSON("\\\\")
        case 0x08: appendJSON("\\b")
        case 0x09: appendJSON("\\t")
        case 0x0A: appendJSON("\\n")
        case 0x0C: appendJSON("\\f")
        case 0x0D: appendJSON("\\r")
        default: appendHexEscape(UInt32(byte))
        }
    }

    private mutating func appendHexEscape(_ unit: UInt32) {
        let digits = String(unit + 0x10000, radix: 16)
        appendJSON("\\u\(digits.dropFirst())")
    }

    /// Appends a byte that is JSON already, such as a bracket.
    public mutating func append(_ byte: UInt8) {
        room(for: 1).pointee = byte
        count += 1
    }

    /// Appends bytes that are JSON already.
    public mutating func appendJSON(_ bytes: [UInt8]) { append(bytes.span) }

    /// Appends text that is JSON already, such as digits.
    public mutating func appendJSON(_ text: String) { append(text.utf8.span) }

    private mutating func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { bytes in
            guard let first = bytes.baseAddress else { return }
            room(for: bytes.count).update(from: first, count: bytes.count)
            count += bytes.count
        }
    }

    /// Returns the address of the next byte, with room for `length` bytes.
    private mutating func room(for length: Int) -> UnsafeMutablePointer<UInt8> {
        if capacity - count < length {
            capacity = max(2 * capacity, count + length)
            let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
            larger.update(from: start, count: count)
            start.deallocate()
            start = larger
        }
        return start + count
    }
}

// MARK: - Types that write themselves

/// A value that writes its own JSON, because it is written too often for `Encodable`. Its bytes are those of
/// Foundation's encoder with sorted keys and without escaped slashes.
public protocol JSONWritable {
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
