/// JSON text and a flat list of the offsets of its values: a tape, in the term of simdjson.
final class JSONTape: Sendable {
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

    init(_ bytes: [UInt8]) throws(DecodingError) {
        nodes = try bytes.withUnsafeBufferPointer { bytes throws(DecodingError) in
            var scanner = JSONScanner(bytes)
            return try scanner.scan()
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
                // A name with an invalid escape equals no name.
                if let string = try? string(of: node), isEqual(string.utf8.span, name) { return key + 1 }
            } else if isEqual(bytes.extracting(Int(node.start)..<Int(node.end)), name) {
                return key + 1
            }
            key = Int(nodes[unchecked: key + 1].next)
        }
        return nil
    }

    private func isEqual(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        guard one.count == other.count else { return false }
        for index in one.indices where one[index] != other[index] { return false }
        return true
    }

    func string(of node: Node) throws(DecodingError) -> String {
        if node.kind == .escapedString { return try JSON.decode(from: json(of: node)) }
        return String(decoding: bytes[Int(node.start)..<Int(node.end)], as: UTF8.self)
    }

    func json(of node: Node) -> [UInt8] {
        let quote = node.kind == .string || node.kind == .escapedString ? 1 : 0
        return Array(bytes[Int(node.start) - quote..<Int(node.end) + quote])
    }
}

/// Scans JSON text once, checks its grammar (RFC 8259) and its UTF-8, and lists where values begin and end.
///
/// It does not check what follows a backslash in a string, nor whether a number fits: that is checked when the value is read.
struct JSONScanner {
    static let depthLimit = 512
    /// Offsets have 32 bits, so that a node is small.
    private static let sizeLimit = Int(UInt32.max)

    // Every offset is compared with the end before it is read. With an array, scanning takes a quarter longer.
    private let bytes: UnsafeBufferPointer<UInt8>
    private var offset = 0
    private var nodes: [JSONTape.Node] = []

    /// The bytes must outlive the scanner.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    mutating func scan() throws(DecodingError) -> [JSONTape.Node] {
        guard bytes.count < Self.sizeLimit else { throw error("more than \(Self.sizeLimit) bytes") }
        nodes.reserveCapacity(bytes.count / 8)  // a line of a chart has a value in about nine bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }  // some senders begin with a byte order mark
        skipWhitespace()
        try value(depth: 1)
        skipWhitespace()
        if offset < bytes.count { throw error("trailing data") }
        return nodes
    }

    private mutating func value(depth: Int) throws(DecodingError) {
        switch current {
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "{"): try container(.object, until: UInt8(ascii: "}"), depth: depth)
        case UInt8(ascii: "["): try container(.array, until: UInt8(ascii: "]"), depth: depth)
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): try number()
        case UInt8(ascii: "t"): try literal("true", .true)
        case UInt8(ascii: "f"): try literal("false", .false)
        case UInt8(ascii: "n"): try literal("null", .null)
        default: throw error("expected a value")
        }
    }

    private mutating func container(_ kind: JSONTape.Kind, until close: UInt8, depth: Int) throws(DecodingError) {
        guard depth <= Self.depthLimit else { throw error("nested deeper than \(Self.depthLimit) values") }
        let index = nodes.count
        append(kind, from: offset, to: offset)
        offset += 1
        skipWhitespace()
        if current != close {
            while true {
                if kind == .object { try name() }
                try value(depth: depth + 1)
                skipWhitespace()
                guard current == UInt8(ascii: ",") else { break }
                offset += 1
                skipWhitespace()
            }
        }
        guard current == close else { throw error("expected a comma or a closing bracket") }
        offset += 1
        nodes[index].end = UInt32(truncatingIfNeeded: offset)
        nodes[index].next = UInt32(truncatingIfNeeded: nodes.count)
    }

    private mutating func name() throws(DecodingError) {
        guard current == UInt8(ascii: "\"") else { throw error("expected a member's name") }
        try string()
        skipWhitespace()
        guard current == UInt8(ascii: ":") else { throw error("expected a colon") }
        offset += 1
        skipWhitespace()
    }

    private mutating func string() throws(DecodingError) {
        let start = offset + 1
        var kind = JSONTape.Kind.string
        var (end, isASCII) = bytes.span.unescapedPrefix(from: start)
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            guard bytes[end] == UInt8(ascii: "\\") else {
                throw error("unescaped control character", at: end)
            }
            kind = .escapedString
            // The byte after a backslash does not end the string, even if it is a quote.
            end = bytes.span.unescapedPrefix(from: min(end + 2, bytes.count)).end
            isASCII = false  // or not known
        }
        guard end < bytes.count else { throw error("unterminated string") }
        // Outside strings the grammar allows only ASCII. To check the whole text takes a fifth longer for a chart.
        if !isASCII { try checkUTF8(from: start, to: end) }
        append(kind, from: start, to: end)
        offset = end + 1
    }

    private func checkUTF8(from start: Int, to end: Int) throws(DecodingError) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span.extracting(start..<end))
        } catch {
            throw self.error("invalid UTF-8", at: start + error.byteOffsets.lowerBound)
        }
    }

    private mutating func number() throws(DecodingError) {
        let start = offset
        if current == UInt8(ascii: "-") { offset += 1 }
        if current == UInt8(ascii: "0") { offset += 1 } else { try digits() }
        if current == UInt8(ascii: ".") {
            offset += 1
            try digits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            offset += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { offset += 1 }
            try digits()
        }
        append(.number, from: start, to: offset)
    }

    private mutating func digits() throws(DecodingError) {
        let start = offset
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
        if offset == start { throw error("expected a digit") }
    }

    private mutating func literal(_ word: StaticString, _ kind: JSONTape.Kind) throws(DecodingError) {
        let end = offset + word.utf8CodeUnitCount
        guard end <= bytes.count, word.withUTF8Buffer({ bytes[offset..<end].elementsEqual($0) }) else {
            throw error("expected a value")
        }
        append(kind, from: offset, to: end)
        offset = end
    }

    private mutating func append(_ kind: JSONTape.Kind, from start: Int, to end: Int) {
        // Nothing is truncated: offsets are below the size limit, and there are fewer values than bytes.
        nodes.append(
            JSONTape.Node(
                kind: kind, start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end),
                next: UInt32(truncatingIfNeeded: nodes.count + 1)))
    }

    private mutating func skipWhitespace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    private var current: UInt8? {
        offset < bytes.count ? bytes[offset] : nil
    }

    private func error(_ reason: String, at offset: Int? = nil) -> DecodingError {
        let text = "invalid JSON: \(reason) at byte \(offset ?? self.offset)"
        return .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: text))
    }
}

extension Span<UInt8> {
    /// Returns the end of the bytes from `start` on that need no escape in a JSON string: no quote, no backslash and no
    /// control character. `isASCII` is true if all of them are ASCII.
    func unescapedPrefix(from start: Int) -> (end: Int, isASCII: Bool) {
        let (ones, tops) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
        var (end, seen) = (start, 0 as UInt64)
        // Eight bytes at a time, until one of them is special.
        while end + 8 <= count {
            let word = bytes.unsafeLoadUnaligned(fromByteOffset: end, as: UInt64.self)
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
        while end < count, self[end] >= 0x20, self[end] != UInt8(ascii: "\""), self[end] != UInt8(ascii: "\\") {
            seen |= UInt64(self[end])
            end += 1
        }
        return (end, seen & tops == 0)
    }
}
