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
