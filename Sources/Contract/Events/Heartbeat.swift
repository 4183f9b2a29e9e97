public import FoundationEssentials
import JSONCoding

/// The message that a process publishes every second: the position of each stream, by which readers detect lost events.
public struct Heartbeat: Hashable, Sendable, Codable {
    /// The epoch of the log.
    public let epoch: String
    /// The sequence of each stream's newest event.
    public let positions: [Stream: SequenceNumber]

    /// Makes the data of a heartbeat.
    public init(epoch: String, positions: [Stream: SequenceNumber]) {
        self.epoch = epoch
        self.positions = positions
    }
}

extension Heartbeat {
    /// The first word of a heartbeat's topic; the second is the process (`heartbeat.worker`).
    public static let topicPrefix = "heartbeat."

    /// Reads the data. Streams that only a newer version has are ignored.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        epoch = try container.decode(String.self, forKey: .epoch)
        let positions = try container.decode([String: SequenceNumber].self, forKey: .positions)
        self.positions = Dictionary(
            uniqueKeysWithValues: positions.compactMap { word, position in Stream(rawValue: word).map { ($0, position) }
            })
    }

    /// Reads the two frames of a message; nil if they are not a readable heartbeat.
    public init?(frames: [[UInt8]]) {
        // An unreadable heartbeat is ignored, because the next one follows in a second.
        guard frames.count == 2, frames[0].starts(with: Self.topicPrefix.utf8),
            let heartbeat = try? Event.data(in: frames[1], as: Heartbeat.self)
        else { return nil }
        self = heartbeat
    }

    /// Returns the two frames of the heartbeat's message; it belongs to no stream and no log.
    public func frames(from source: String, at now: Date) -> [[UInt8]] {
        let process = source.split(separator: "/").last ?? ""
        let attributes: [(name: String, value: String?)] = [
            ("specversion", Event.version),
            ("id", "\(epoch)/heartbeat/\(Timestamp.text(now))"),
            ("source", source),
            ("type", "marquee.heartbeat.v1"),
            ("subject", String(process)),
            ("time", Timestamp.text(now)),
            ("datacontenttype", "application/json"),
        ]
        let body = Envelope.json(attributes, data: JSON.encodeInfallibly(self))
        return [Array((Self.topicPrefix + process).utf8), body]
    }
}
