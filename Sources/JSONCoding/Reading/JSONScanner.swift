/// Scans JSON text once, checks its grammar (RFC 8259) and its UTF-8, and lists where values begin and end.
///
/// It does not check what follows a backslash in a string, nor whether a number fits: that is checked when the value is read.
struct JSONScanner {
    /// The first byte at which the text is not JSON.
    struct SyntaxError: Error, CustomStringConvertible {
        let offset: Int
        let reason: String

        var description: String { "invalid JSON: \(reason) at byte \(offset)" }
    }

    /// The number of values that may be nested in each other.
    static let depthLimit = 512
    /// Offsets have 32 bits, so that a node is small.
    private static let sizeLimit = Int(UInt32.max)

    // Every offset is compared with the end before it is read. With an array, scanning takes a quarter longer.
    private let bytes: UnsafeBufferPointer<UInt8>
    private var offset = 0
    private var nodes: [JSONTape.Node] = []

    /// Makes a scanner for bytes that outlive it.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// Scans the text and returns the nodes of all its values.
    mutating func scan() throws(SyntaxError) -> [JSONTape.Node] {
        guard bytes.count < Self.sizeLimit else { throw error("more than \(Self.sizeLimit) bytes") }
        nodes.reserveCapacity(bytes.count / 8)  // a line of a chart has a value in about nine bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }  // some senders begin with a byte order mark
        skipWhitespace()
        try value(depth: 1)
        skipWhitespace()
        if offset < bytes.count { throw error("trailing data") }
        return nodes
    }

    private mutating func value(depth: Int) throws(SyntaxError) {
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

    private mutating func container(_ kind: JSONTape.Kind, until close: UInt8, depth: Int) throws(SyntaxError) {
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

    private mutating func name() throws(SyntaxError) {
        guard current == UInt8(ascii: "\"") else { throw error("expected a member's name") }
        try string()
        skipWhitespace()
        guard current == UInt8(ascii: ":") else { throw error("expected a colon") }
        offset += 1
        skipWhitespace()
    }

    private mutating func string() throws(SyntaxError) {
        let start = offset + 1
        var kind = JSONTape.Kind.string
        let (beginning, isASCII) = bytes.span.unescapedPrefix(from: start)
        var end = beginning
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            guard bytes[end] == UInt8(ascii: "\\") else {
                throw SyntaxError(offset: end, reason: "unescaped control character")
            }
            kind = .escapedString
            // The byte after a backslash does not end the string, even if it is a quote.
            end = bytes.span.unescapedPrefix(from: min(end + 2, bytes.count)).end
        }
        guard end < bytes.count else { throw error("unterminated string") }
        // Outside strings the grammar allows only ASCII.
        if !isASCII || kind == .escapedString { try checkUTF8(from: start, to: end) }
        append(kind, from: start, to: end)
        offset = end + 1
    }

    private func checkUTF8(from start: Int, to end: Int) throws(SyntaxError) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span.extracting(start..<end))
        } catch {
            throw SyntaxError(offset: start + error.byteOffsets.lowerBound, reason: "invalid UTF-8")
        }
    }

    private mutating func number() throws(SyntaxError) {
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

    private mutating func digits() throws(SyntaxError) {
        let start = offset
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
        if offset == start { throw error("expected a digit") }
    }

    private mutating func literal(_ word: StaticString, _ kind: JSONTape.Kind) throws(SyntaxError) {
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
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            offset += 1
        }
    }

    /// The next byte; nil at the end.
    private var current: UInt8? {
        offset < bytes.count ? bytes[offset] : nil
    }

    private func error(_ reason: String) -> SyntaxError {
        SyntaxError(offset: offset, reason: reason)
    }
}
