/// JSON text and a flat list of the offsets of its values: a tape, in the term of simdjson.
final class JSONTape: Sendable {
    /// The kind of a value, which its first byte determines.
    enum Kind: UInt8 {
        case object
        case array
        case string
        /// A string with a backslash in it.
        case escapedString
        case number
        case `true`
        case `false`
        case null
    }

    /// A value, or the name of a member, which stands before the member's value.
    struct Node {
        let kind: Kind
        /// The offset of the first byte; the quotes of a string do not count.
        let start: UInt32
        /// The offset of the first byte that is not part of it.
        var end: UInt32
        /// The index of the first node that is not inside this one.
        var next: UInt32
    }

    let bytes: [UInt8]
    /// All values in the order of their first bytes, so that the nodes inside a node follow it.
    let nodes: [Node]

    /// Scans a text, which must be JSON from its first byte to its last.
    init(_ bytes: [UInt8]) throws(DecodingError) {
        do throws(JSONScanner.SyntaxError) {
            nodes = try bytes.withUnsafeBufferPointer { bytes throws(JSONScanner.SyntaxError) in
                var scanner = JSONScanner(bytes)
                return try scanner.scan()
            }
        } catch {
            throw .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: "\(error)"))
        }
        self.bytes = bytes
    }

    /// The index of a member's value; nil if the object has no member with this name.
    func member(_ name: String, of object: Int) -> Int? {
        let (tape, text) = (nodes, bytes)
        let nodes = tape.span
        let bytes = text.span
        let name = name.utf8.span
        let end = Int(nodes[object].next)
        var key = object + 1
        while key < end {
            // Unchecked: up to an object's end its names and values alternate. Checked, a chart takes 4 % longer to read.
            let node = nodes[unchecked: key]
            if node.kind == .escapedString {
                if isEscapedName(key, equalTo: name) { return key + 1 }
            } else {
                let (start, end) = (Int(node.start), Int(node.end))
                if end - start == name.count, isEqual(bytes.extracting(start..<end), name) { return key + 1 }
            }
            key = Int(nodes[unchecked: key + 1].next)
        }
        return nil
    }

    private func isEscapedName(_ key: Int, equalTo name: Span<UInt8>) -> Bool {
        // A name with an invalid escape equals no name.
        guard let string = try? string(of: nodes[key]) else { return false }
        return isEqual(string.utf8.span, name)
    }

    private func isEqual(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        guard one.count == other.count else { return false }
        for index in one.indices where one[index] != other[index] { return false }
        return true
    }

    func string(of node: Node) throws(DecodingError) -> String {
        guard node.kind == .escapedString else {
            return String(decoding: bytes[Int(node.start)..<Int(node.end)], as: UTF8.self)
        }
        return try JSON.decode(from: json(of: node))
    }

    /// The JSON of a node, as in the text.
    func json(of node: Node) -> [UInt8] {
        let quote = node.kind == .string || node.kind == .escapedString ? 1 : 0
        return Array(bytes[Int(node.start) - quote..<Int(node.end) + quote])
    }
}
