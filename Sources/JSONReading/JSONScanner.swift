/// Goes through JSON text once, checks its grammar (RFC 8259) and notes where values begin and end.
///
/// What stands inside a text behind a backslash, and whether a number fits anywhere, is looked at when it is read.
struct JSONScanner {
    /// What is wrong with the text, and at which byte.
    struct Fault: Error, CustomStringConvertible {
        let place: Int
        let reason: String

        var description: String { "this is no JSON: \(reason) at byte \(place)" }
    }

    /// How deep values may be inside each other.
    static let depthLimit = 512
    /// What places are counted in, so that a node is small.
    private static let sizeLimit = Int(UInt32.max)

    private let bytes: UnsafeBufferPointer<UInt8>
    private var place = 0
    private(set) var nodes: [JSONOutline.Node] = []

    /// Makes a scanner of bytes that are lent for as long as it is used: no place is read that was not compared with their end.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// Notes all values.
    mutating func scan() throws(Fault) {
        guard bytes.count < Self.sizeLimit else { throw fault("there is too much of it") }
        nodes.reserveCapacity(bytes.count / 8)  // a line of a chart has a value in about nine bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }  // the byte order mark, which some senders put first
        skipBlanks()
        try value(depth: 1)
        skipBlanks()
        if place < bytes.count { throw fault("something behind the end") }
    }

    private mutating func value(depth: Int) throws(Fault) {
        switch current {
        case UInt8(ascii: "\""): try text()
        case UInt8(ascii: "{"): try container(.object, until: UInt8(ascii: "}"), depth: depth)
        case UInt8(ascii: "["): try container(.array, until: UInt8(ascii: "]"), depth: depth)
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): try number()
        case UInt8(ascii: "t"): try word("true", .true)
        case UInt8(ascii: "f"): try word("false", .false)
        case UInt8(ascii: "n"): try word("null", .null)
        default: throw fault("no value")
        }
    }

    private mutating func container(_ kind: JSONOutline.Kind, until close: UInt8, depth: Int) throws(Fault) {
        guard depth <= Self.depthLimit else { throw fault("more than \(Self.depthLimit) values inside each other") }
        let index = nodes.count
        note(kind, from: place, to: place)
        place += 1
        skipBlanks()
        if current != close {
            while true {
                if kind == .object { try name() }
                try value(depth: depth + 1)
                skipBlanks()
                guard current == UInt8(ascii: ",") else { break }
                place += 1
                skipBlanks()
            }
        }
        guard current == close else { throw fault("neither comma nor end") }
        place += 1
        nodes[index].end = UInt32(truncatingIfNeeded: place)
        nodes[index].next = UInt32(truncatingIfNeeded: nodes.count)
    }

    private mutating func name() throws(Fault) {
        guard current == UInt8(ascii: "\"") else { throw fault("no name") }
        try text()
        skipBlanks()
        guard current == UInt8(ascii: ":") else { throw fault("no colon") }
        place += 1
        skipBlanks()
    }

    private mutating func text() throws(Fault) {
        let start = place + 1
        var kind = JSONOutline.Kind.text
        let (beginning, isASCII) = bytes.plain(from: start)
        var end = beginning
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            guard bytes[end] == UInt8(ascii: "\\") else { throw Fault(place: end, reason: "a control character") }
            kind = .escapedText
            end = bytes.plain(from: min(end + 2, bytes.count)).end  // what stands behind it ends nothing
        }
        guard end < bytes.count else { throw fault("a text without an end") }
        if !isASCII || kind == .escapedText { try checkUTF8(from: start, to: end) }
        note(kind, from: start, to: end)
        place = end + 1
    }

    /// Outside of texts the grammar allows nothing but ASCII.
    private func checkUTF8(from start: Int, to end: Int) throws(Fault) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: UnsafeBufferPointer(rebasing: bytes[start..<end]).span)
        } catch {
            throw Fault(place: start + error.byteOffsets.lowerBound, reason: "bytes that are no UTF-8")
        }
    }

    private mutating func number() throws(Fault) {
        let start = place
        if current == UInt8(ascii: "-") { place += 1 }
        if current == UInt8(ascii: "0") { place += 1 } else { try digits() }
        if current == UInt8(ascii: ".") {
            place += 1
            try digits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            place += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { place += 1 }
            try digits()
        }
        note(.number, from: start, to: place)
    }

    private mutating func digits() throws(Fault) {
        let start = place
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { place += 1 }
        if place == start { throw fault("no digit") }
    }

    private mutating func word(_ word: StaticString, _ kind: JSONOutline.Kind) throws(Fault) {
        let end = place + word.utf8CodeUnitCount
        let letters = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard end <= bytes.count, bytes[place..<end].elementsEqual(letters) else {
            throw fault("no value")
        }
        note(kind, from: place, to: end)
        place = end
    }

    private mutating func note(_ kind: JSONOutline.Kind, from start: Int, to end: Int) {
        // None is above the limit, and there are no more values than bytes.
        nodes.append(
            JSONOutline.Node(
                kind: kind, start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end),
                next: UInt32(truncatingIfNeeded: nodes.count + 1)))
    }

    private mutating func skipBlanks() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            place += 1
        }
    }

    /// The byte that comes next, or nil at the end.
    private var current: UInt8? {
        place < bytes.count ? bytes[place] : nil
    }

    private func fault(_ reason: String) -> Fault {
        Fault(place: place, reason: reason)
    }
}
