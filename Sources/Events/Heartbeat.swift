import FoundationEssentials
import ZeroMQ

/// What a process tells every second, so that its readers notice what they missed: how far each stream has come.
public struct Heartbeat: Hashable, Sendable, Codable {
    /// Which log the positions count in.
    public let epoch: String
    /// The place of each stream's newest event.
    public let positions: [Stream: SequenceNumber]

    /// Makes the data of a heartbeat.
    public init(epoch: String, positions: [Stream: SequenceNumber]) {
        self.epoch = epoch
        self.positions = positions
    }
}

extension Heartbeat {
    /// The first word of a heartbeat's topic; the second is who beats (`heartbeat.worker`).
    public static let topicPrefix = "heartbeat."

    /// The heartbeat as a message; it is in no stream and no log.
    func message(from source: String, at now: Date) -> Message {
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
        let body = Envelope.json(attributes, data: JSON.certain(self))
        return Message([Array((Self.topicPrefix + process).utf8), body])
    }
}
