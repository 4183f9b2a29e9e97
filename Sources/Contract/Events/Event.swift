import BoxOffice
public import FoundationEssentials
public import JSONCoding
import Text

/// A received event: the attributes of a CloudEvents 1.0 envelope, and the data, which is decoded on demand.
public struct Event: Hashable, Sendable {
    /// The version of CloudEvents in envelopes.
    public static let version = "1.0"
    /// The most bytes of an event: a frame of this size is the largest that clients receive.
    public static let maximumBytes = 1 << 20
    /// The most bytes of an event's data, beside which the attributes have room.
    public static let maximumDataBytes = maximumBytes - (4 << 10)

    /// The event's topic.
    public let topic: Topic
    /// The envelope as received.
    public let body: [UInt8]

    /// The event's id: equal whenever the same event is sent again.
    public let id: String
    /// The process that published the event, such as `/marquee/worker`.
    public let source: String
    /// The kind of event, such as `marquee.ranking.day.v1`.
    public let type: String
    /// The subject: the topic without the kind.
    public let subject: String
    /// The time at which the event entered the log.
    public let time: Date
    /// The epoch of the event's log; sequences are comparable only within one epoch.
    public let epoch: String
    /// The event's sequence in the topic's stream.
    public let sequence: SequenceNumber
    /// The sequence of the previous event with the same topic; zero if there is none.
    public let previous: SequenceNumber
    /// The request that caused the event.
    public let correlationID: RequestID?
    /// That request's priority; an event that a `backfill` request caused is history, however new it is.
    public let priority: Request.Priority

    /// The stream that the sequence counts.
    public var stream: Stream { topic.stream }
}

extension Event {
    /// Reads the attributes from the two frames of a message. Unknown attributes are ignored. The data of our envelopes is
    /// parsed only by `data(as:)` and need not be valid JSON until then.
    public init(topic: Topic, body: [UInt8]) throws(DecodingError) {
        if let event = Event(ours: body, topic: topic) {
            self = event
        } else {
            self = try Event(topic: topic, body: body, JSONValue(parsing: body))
        }
    }

    /// Reads an envelope in the form that this version writes; nil for any other form.
    private init?(ours body: [UInt8], topic: Topic) {
        guard var reader = EnvelopeReader(body), reader.has("specversion", "1.0"), let id = reader.text("id"),
            let source = reader.text("source"), let type = reader.text("type"), let subject = reader.text("subject"),
            let time = reader.text("time").flatMap(Timestamp.instant),
            reader.has("datacontenttype", "application/json"),
            let stream = reader.text("stream").flatMap({ Stream(rawValue: $0) }), stream == topic.stream,
            let epoch = reader.text("epoch"), let sequence = reader.sequence("sequence"),
            let previous = reader.sequence("previous")
        else { return nil }
        var correlationID: RequestID?
        if let text = reader.text("correlationid") {
            guard let id = RequestID(text) else { return nil }
            correlationID = id
        }
        let priority = reader.text("priority").flatMap(Request.Priority.init)
        guard reader.isAtData else { return nil }
        self.init(
            topic: topic, body: body, id: id, source: source, type: type, subject: subject, time: time, epoch: epoch,
            sequence: sequence, previous: previous, correlationID: correlationID, priority: priority ?? .live)
    }

    private init(topic: Topic, body: [UInt8], _ attributes: JSONValue) throws(DecodingError) {
        let specversion = try attributes.value("specversion").text()
        let stream = try attributes.value("stream").word(as: Stream.self)
        guard specversion == Self.version, stream == topic.stream else {
            throw attributes.unreadable("the envelope does not belong to the topic \(topic)")
        }
        self.topic = topic
        self.body = body
        id = try attributes.value("id").text()
        source = try attributes.value("source").text()
        type = try attributes.value("type").text()
        subject = try attributes.value("subject").text()
        guard let time = Timestamp.instant(try attributes.value("time").text()) else {
            throw attributes.unreadable("its time is not one")
        }
        self.time = time
        epoch = try attributes.value("epoch").text()
        sequence = try attributes.value("sequence").text()
        previous = try attributes.value("previous").text()
        correlationID = try attributes["correlationid"]?.text()
        priority = try (attributes["priority"]?.text()).flatMap(Request.Priority.init) ?? .live
    }

    /// Decodes the data.
    public func data<Value: Decodable>(as type: Value.Type = Value.self) throws(DecodingError) -> Value {
        try Self.data(in: body, as: type)
    }

    /// Decodes the data, for a type that reads JSON directly.
    public func data<Value: JSONReadable>(as type: Value.Type = Value.self) throws(DecodingError) -> Value {
        try Self.data(in: body, as: type)
    }

    /// Decodes the data of an envelope.
    public static func data<Value: Decodable>(in body: [UInt8], as type: Value.Type) throws(DecodingError) -> Value {
        try JSONValue(parsing: body).value("data").decode()
    }

    /// Decodes the data of an envelope, for a type that reads JSON directly.
    public static func data<Value: JSONReadable>(in body: [UInt8], as type: Value.Type) throws(DecodingError) -> Value {
        try Value(json: JSONValue(parsing: body).value("data"))
    }

    /// The bytes of the data, for passing it on without decoding; nil if `data` is not the envelope's last member.
    public var dataJSON: [UInt8]? {
        // Quotes inside a text are escaped, so the first match is the name.
        let name = body.firstRange(of: Array(",\"data\":".utf8))
        guard let name, body.last == UInt8(ascii: "}") else { return nil }
        return Array(body[name.upperBound...].dropLast())
    }
}

// MARK: - Sequence

/// The position of an event in its stream, from 1. Its text has sixteen digits, so texts sort in the order of numbers.
public struct SequenceNumber: Hashable, Sendable, Comparable, CustomStringConvertible, StringRepresentable {
    /// The sequence before the first event.
    public static let zero = SequenceNumber(unchecked: 0)
    private static let digits = 16
    private static let largest: UInt64 = 9_999_999_999_999_999

    /// The number.
    public let value: UInt64

    /// Makes a number, or nil if it takes more than sixteen digits.
    public init?(_ value: UInt64) {
        guard value <= Self.largest else { return nil }
        self.value = value
    }

    private init(unchecked value: UInt64) { self.value = value }

    /// Returns the sequence `count` events later, or the largest sequence.
    public func advanced(by count: UInt64) -> SequenceNumber {
        // Fits: both have sixteen digits.
        SequenceNumber(unchecked: min(value + min(count, Self.largest), Self.largest))
    }

    /// Orders sequences like their events.
    public static func < (one: SequenceNumber, other: SequenceNumber) -> Bool { one.value < other.value }

    /// The number's sixteen digits.
    public var description: String {
        String(utf8Capacity: Self.digits) { $0.append(digitsOf: value, width: Self.digits) }
    }

    /// Reads sixteen digits.
    public init?(_ text: some StringProtocol) {
        let text = String(text)
        self.init(digits: text.utf8.span)
    }

    init?(digits: Span<UInt8>) {
        guard digits.count == Self.digits, let value = UInt64(digits: digits) else { return nil }
        self.init(value)
    }

    /// The noun in error texts.
    public static let noun = "sequence number"
}

// MARK: - Envelope

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
private struct EnvelopeReader {
    private let json: [UInt8]
    private var place = 1

    /// Begins at an object's first member; nil if the bytes are not an object.
    init?(_ json: [UInt8]) {
        guard json.first == UInt8(ascii: "{"), json.last == UInt8(ascii: "}") else { return nil }
        self.json = json
    }

    /// Reads the text of the next attribute; nil if the attribute has another name.
    mutating func text(_ name: StaticString) -> String? {
        guard let value = next(name), let text = try? UTF8Span(validating: json.span.extracting(value)) else {
            return nil
        }
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

// MARK: - Time

/// The text of an instant on the wire: RFC 3339 in UTC with milliseconds, `2026-11-21T06:23:00.123Z`.
public enum Timestamp {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// Returns the text of an instant, to the nearest millisecond.
    public static func text(_ instant: Date) -> String { instant.rfc3339 }

    /// Returns the instant of a text in RFC 3339; nil for any other text.
    static func instant(_ text: String) -> Date? {
        if let instant = usual(text) { return instant }
        guard let parsed = try? style.parse(text) else { return nil }  // the error adds nothing to nil
        return Date(timeIntervalSince1970: (parsed.timeIntervalSince1970 * 1000).rounded() / 1000)
    }

    /// Returns the instant of a text in the form that `text` writes; nil for any other form.
    /// It is a hundred times faster than the format style.
    private static func usual(_ text: String) -> Date? {
        let bytes = text.utf8.span
        guard bytes.count == 24, bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":"), bytes[19] == UInt8(ascii: "."), bytes[23] == UInt8(ascii: "Z"),
            let day = KoreanDate(digits: bytes.extracting(..<10)),
            let hour = Int(digits: bytes.extracting(11..<13)), hour < 24,
            let minute = Int(digits: bytes.extracting(14..<16)), minute < 60,
            let second = Int(digits: bytes.extracting(17..<19)), second < 60,
            let millisecond = Int(digits: bytes.extracting(20..<23))
        else { return nil }
        // `KoreanDate` serves as a plain calendar day here: the text is in UTC.
        let seconds = ((day.dayNumber * 24 + hour) * 60 + minute) * 60 + second
        return Date(timeIntervalSince1970: Double(seconds * 1000 + millisecond) / 1000)
    }
}
