import Glibc
import JSONCoding

/// The JSON object that an event travels in: its attributes as text, and its data as the JSON that it already is.
public enum Envelope {
    /// The object's bytes, with the attributes in their order and those without a value left out.
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

    /// Where the data's name stands in such an object, with the comma before it; nil if the bytes are none.
    public static func dataName(in json: [UInt8]) -> Range<Int>? {
        // Inside a text, quotes are escaped: the first place that looks like the name is the name.
        json.withUnsafeBytes { json -> Range<Int>? in
            guard let base = json.baseAddress else { return nil }
            var start = 0
            // From comma to comma with memchr(3): an envelope has a dozen before its data.
            while start + name.count <= json.count, let comma = memchr(base + start, 0x2C, json.count - start) {
                start = UnsafeRawPointer(comma) - base
                guard start + name.count <= json.count else { return nil }
                if memcmp(comma, name, name.count) == 0 { return start..<start + name.count }
                start += 1
            }
            return nil
        }
    }

    /// The object without its data, for whoever needs only the attributes; nil where the bytes are no such object, or
    /// attributes may follow the data.
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

/// Reads the attributes of an envelope in the order in which we write them, without a look at the data behind them.
///
/// For our own events, which come in thousands. What somebody else wrote, or a later version, is read as any JSON: what is
/// unusual here (another order, a backslash, a blank) is no error, but nothing.
struct EnvelopeReader {
    private let json: [UInt8]
    private var place = 1

    /// Begins at an object's first member; nil if the bytes are no object.
    init?(_ json: [UInt8]) {
        guard json.first == UInt8(ascii: "{"), json.last == UInt8(ascii: "}") else { return nil }
        self.json = json
    }

    /// The text of the next attribute if it has this name.
    mutating func text(_ name: StaticString) -> String? {
        guard let value = next(name) else { return nil }
        guard let text = try? UTF8Span(validating: json.span.extracting(value)) else { return nil }
        return String(copying: text)
    }

    /// The number of the next attribute if it has this name.
    mutating func sequence(_ name: StaticString) -> SequenceNumber? {
        next(name).flatMap { SequenceNumber(digits: json.span.extracting($0)) }
    }

    /// Whether the next attribute has this name and this text.
    mutating func has(_ name: StaticString, _ text: StaticString) -> Bool {
        guard let value = next(name) else { return false }
        return value.count == text.utf8CodeUnitCount && stands(text, at: value.lowerBound)
    }

    /// Whether only the data is left.
    var isAtData: Bool { stands("\"data\":", at: place) }

    /// Where the value of the next attribute stands, if it has this name and a text without a backslash for a value.
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
