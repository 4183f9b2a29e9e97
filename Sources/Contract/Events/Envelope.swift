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
