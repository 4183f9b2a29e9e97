/// JSON while it is being written, in memory of its own that grows.
///
/// An array looks before each piece whether somebody else holds it, and an event has some hundred pieces.
public struct JSONWriter: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private var count = 0

    /// Makes room for so many bytes; more is made when it is needed.
    public init(capacity: Int = 4_096) {
        self.capacity = capacity
        start = .allocate(capacity: capacity)
    }

    deinit {
        start.deallocate()
    }

    /// Whether nothing has been written.
    public var isEmpty: Bool { count == 0 }

    /// What has been written.
    public var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

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
        let length = name.utf8CodeUnitCount
        let end = room(for: length + 4)
        end[0] = isFirst ? UInt8(ascii: "{") : UInt8(ascii: ",")
        end[1] = UInt8(ascii: "\"")
        (end + 2).update(from: name.utf8Start, count: length)
        end[length + 2] = UInt8(ascii: "\"")
        end[length + 3] = UInt8(ascii: ":")
        count += length + 4
    }

    /// Appends a byte that is JSON already, such as a bracket.
    public mutating func append(_ byte: UInt8) {
        room(for: 1).pointee = byte
        count += 1
    }

    /// Appends bytes that are JSON already.
    public mutating func appendJSON(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { append($0) }
    }

    /// Appends text that is JSON already, such as digits.
    public mutating func appendJSON(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    /// Appends a whole number.
    public mutating func appendNumber(_ number: Int) {
        if number < 0 { append(UInt8(ascii: "-")) }
        // From the last digit to the first, of which there are twenty at the most.
        let most = 20
        let end = room(for: most)
        var first = most
        var rest = number.magnitude
        repeat {
            first -= 1
            end[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        end.update(from: end + first, count: most - first)
        count += most - first
    }

    /// Appends a text in its quotes.
    public mutating func appendText(_ text: String) {
        append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes in
            if bytes.plain(from: 0).end == bytes.count { append(bytes) } else { appendEscaped(bytes) }
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): appendJSON([UInt8(ascii: "\\"), byte])
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

    private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let first = bytes.baseAddress else { return }
        room(for: bytes.count).update(from: first, count: bytes.count)
        count += bytes.count
    }

    /// Where the next bytes go, and so many have room.
    @inline(__always)
    private mutating func room(for length: Int) -> UnsafeMutablePointer<UInt8> {
        if capacity - count < length { grow(for: length) }
        return start + count
    }

    private mutating func grow(for length: Int) {
        capacity = max(2 * capacity, count + length)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: start, count: count)
        start.deallocate()
        start = larger
    }
}
