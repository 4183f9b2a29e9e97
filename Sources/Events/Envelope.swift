/// The JSON object that an event travels in: its attributes as text, and its data as the JSON that it already is.
enum Envelope {
    /// The object's bytes, with the attributes in their order and those without a value left out.
    static func json(_ attributes: [(name: String, value: String?)], data: [UInt8]) -> [UInt8] {
        var json: [UInt8] = [UInt8(ascii: "{")]
        json.reserveCapacity(data.count + 512)
        for case (let name, let value?) in attributes {
            json += "\"\(name)\":".utf8
            json += JSON.quoted(value)
            json.append(UInt8(ascii: ","))
        }
        json += "\"data\":".utf8
        json += data
        json.append(UInt8(ascii: "}"))
        return json
    }

    /// Where the data's name stands in such an object, with the comma before it; nil if the bytes are none.
    static func dataName(in json: [UInt8]) -> Range<Int>? {
        // Inside a text, quotes are escaped: the first place that looks like the name is the name. Searched by hand:
        // `firstRange(of:)` takes longer for it than the data takes to be read.
        json.withUnsafeBufferPointer { json in
            name.withUnsafeBufferPointer { name in
                (0..<max(0, json.count - name.count + 1)).first { start in
                    (0..<name.count).allSatisfy { json[start + $0] == name[$0] }
                }
            }
        }.map { $0..<$0 + name.count }
    }

    private static let name = Array(",\"data\":".utf8)
}
