import Glibc
import JSONCoding

/// The JSON object of an event: its attributes as text, and its data as encoded JSON.
public enum Envelope {
    /// Returns the object's bytes, with the attributes in the given order. Attributes without a value are left out.
    public static func json(_ attributes: [(name: String, value: String?)], data: [UInt8]) -> [UInt8] {
        var json = JSONWriter(capacity: data.count + 512)
        for case (let name, let value?) in attributes {
            json.member(name, value, isFirst: json.isEmpty)
        }
        json.beginMember("data")
        json.appendJSON(data)
        json.endObject()
        return json.bytes
    }

    /// Returns the range of the name of `data` with the comma before it; nil if the object has no such member.
    public static func dataName(in json: [UInt8]) -> Range<Int>? {
        // Quotes inside a text are escaped, so the first match is the name.
        json.withUnsafeBytes { json -> Range<Int>? in
            guard let base = json.baseAddress else { return nil }
            var start = 0
            // memchr(3) finds the next comma; an envelope has a dozen before its data.
            while start + name.count <= json.count, let comma = memchr(base + start, 0x2C, json.count - start) {
                start = UnsafeRawPointer(comma) - base
                guard start + name.count <= json.count else { return nil }
                if memcmp(comma, name, name.count) == 0 { return start..<start + name.count }
                start += 1
            }
            return nil
        }
    }

    /// Returns the object without `data` and all that follows it; nil if the object has no `data`.
    public static func head(of json: [UInt8]) -> [UInt8]? {
        guard let name = dataName(in: json) else { return nil }
        var head = [UInt8]()
        head.reserveCapacity(name.lowerBound + 1)
        head += json[..<name.lowerBound]
        head.append(UInt8(ascii: "}"))
        return head
    }

    private static let name = Array(",\"data\":".utf8)
}

/// Reads the attributes of an envelope in the order in which this version writes them, without parsing the data.
///
/// This fast path serves our own events, which arrive by the thousand. An envelope in any other form (another order, a
/// backslash, a blank) reads as nil, and the caller parses it as general JSON.
struct EnvelopeReader {
    private let json: [UInt8]
    private var place = 1

    /// Begins at an object's first member; nil if the bytes are not an object.
    init?(_ json: [UInt8]) {
        guard json.first == UInt8(ascii: "{"), json.last == UInt8(ascii: "}") else { return nil }
        self.json = json
    }

    /// Reads the text of the next attribute; nil if the attribute has another name.
    mutating func text(_ name: StaticString) -> String? {
        guard let value = next(name) else { return nil }
        guard let text = try? UTF8Span(validating: json.span.extracting(value)) else { return nil }
        return String(copying: text)
    }

    /// Reads the sequence of the next attribute; nil if the attribute has another name.
    mutating func sequence(_ name: StaticString) -> SequenceNumber? {
        next(name).flatMap { SequenceNumber(digits: json.span.extracting($0)) }
    }

    /// Reads the next attribute and returns whether it has this name and this text.
    mutating func has(_ name: StaticString, _ text: StaticString) -> Bool {
        guard let value = next(name) else { return false }
        return value.count == text.utf8CodeUnitCount && stands(text, at: value.lowerBound)
    }

    /// Whether `data` is the next member.
    var isAtData: Bool { stands("\"data\":", at: place) }

    /// Returns the range of the next attribute's value; nil unless the attribute has this name and a text without a
    /// backslash.
    private mutating func next(_ name: StaticString) -> Range<Int>? {
        let nameEnd = place + 1 + name.utf8CodeUnitCount
        guard stands("\"", at: place), stands(name, at: place + 1), stands("\":\"", at: nameEnd) else { return nil }
        let start = nameEnd + 3
        var end = start
        while end < json.count, json[end] != UInt8(ascii: "\"") {
            guard json[end] >= 0x20, json[end] != UInt8(ascii: "\\") else { return nil }
            end += 1
        }
        guard stands("\",", at: end) else { return nil }
        place = end + 2
        return start..<end
    }

    private func stands(_ text: StaticString, at start: Int) -> Bool {
        let count = text.utf8CodeUnitCount
        guard start + count <= json.count else { return false }
        for index in 0..<count where json[start + index] != text.utf8Start[index] { return false }
        return true
    }
}
