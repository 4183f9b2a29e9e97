import FoundationEssentials

extension JSONValue {
    /// What `read` makes of the bytes of a text or number as they stand, without making a `String` of them; nil if it makes
    /// nothing of them, or if they are not what the text says because some are escaped.
    @inlinable
    public func plain<Value>(_ read: (UnsafeBufferPointer<UInt8>) -> Value?) -> Value? {
        var value: Value?
        withPlainBytes { value = read($0) }
        return value
    }

    @usableFromInline
    func withPlainBytes(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        let node = node
        guard node.kind == .text || node.kind == .number else { return }
        outline.bytes.withUnsafeBufferPointer { bytes in
            body(UnsafeBufferPointer(rebasing: bytes[Int(node.start)..<Int(node.end)]))
        }
    }

    /// The whole number that a text or number spells, if it is nothing but at most eighteen digits with or without a minus.
    public var plainInteger: Int? {
        plain { bytes in
            let isNegative = bytes.first == UInt8(ascii: "-")
            let digits = bytes.dropFirst(isNegative ? 1 : 0)
            guard (1...18).contains(digits.count) else { return nil }  // nineteen may not fit
            var number = 0
            for byte in digits {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                number = number * 10 + Int(byte - UInt8(ascii: "0"))
            }
            return isNegative ? -number : number
        }
    }

    /// The text.
    public func text() throws(DecodingError) -> String {
        guard isText else { throw mismatch(String.self, "a text") }
        do throws(DecodingError) {
            return try outline.text(of: node)
        } catch {
            throw error.at(path)
        }
    }

    /// The text as one of the words that a type knows.
    @inlinable
    public func word<Value: RawRepresentable<String>>(as type: Value.Type = Value.self) throws(DecodingError) -> Value {
        let text = try text()
        guard let value = Value(rawValue: text) else {
            throw unreadable("\(String(text.prefix(64)).debugDescription) is none of the words that can stand here")
        }
        return value
    }

    /// The number, which must be whole and fit.
    public func integer() throws(DecodingError) -> Int {
        guard node.kind == .number else { throw mismatch(Int.self, "a whole number") }
        if let number = plainInteger { return number }
        if let number = Int(try numeral()) { return number }
        return try decode()  // 12.0 and 1e3 are whole, too
    }

    /// The truth value.
    public func flag() throws(DecodingError) -> Bool {
        switch node.kind {
        case .true: return true
        case .false: return false
        default: throw mismatch(Bool.self, "true or false")
        }
    }

    /// The number as it is written.
    public func numeral() throws(DecodingError) -> String {
        guard node.kind == .number else { throw mismatch(Decimal.self, "a number") }
        return String(decoding: outline.content(of: node), as: UTF8.self)
    }

    /// Reads the value with Foundation's decoder, for what is seldom read or seldom written so.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(DecodingError) -> Value {
        do throws(DecodingError) {
            return try outline.decode(type, from: node)
        } catch {
            throw error.at(path)
        }
    }
}

extension JSONOutline {
    /// What a text says.
    func text(of node: Node) throws(DecodingError) -> String {
        guard node.kind == .escapedText else { return String(decoding: content(of: node), as: UTF8.self) }
        return try decode(String.self, from: node)
    }

    /// Reads a node with Foundation's decoder; errors name the way from the node on.
    func decode<Value: Decodable>(_ type: Value.Type, from node: Node) throws(DecodingError) -> Value {
        let quote = node.kind == .text || node.kind == .escapedText ? 1 : 0
        let range = Int(node.start) - quote..<Int(node.end) + quote
        do {
            return try JSONDecoder().decode(type, from: Data(bytes[range]))
        } catch let error as DecodingError {
            throw error
        } catch {
            throw .dataCorrupted(
                DecodingError.Context(
                    codingPath: [], debugDescription: "no \(type) can be read", underlyingError: error))
        }
    }
}
