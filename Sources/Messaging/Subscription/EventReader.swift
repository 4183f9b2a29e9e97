public import Contract
public import ZeroMQ

/// Reads the events of a publisher as they come, whatever is lost on the way.
///
/// It repairs nothing: what a full queue or a broken connection swallows is gone for it.
public struct EventReader: Sendable {
    private let socket: Socket

    /// Connects to the publisher at `address`, for the topics that begin with one of the prefixes.
    public init(_ io: IOThread, address: String, prefixes: [String]) async throws(ZeroMQError) {
        // Heartbeats last: whoever hears one knows that the other subscriptions are in force.
        let subscriptions = prefixes + [Heartbeat.topicPrefix]
        socket = try await io.open(.subscriber, connect: [address], subscriptions: subscriptions)
    }

    /// Hands each batch of events to `body`, in the order in which they came, until `body` returns a value; `isLive`
    /// is true once the subscription is known to be in force. Returns nil if the connection is closed first.
    ///
    /// Messages that are no events of ours are passed over.
    public func read<Value>(
        _ body: (_ events: [Event], _ isLive: Bool) async throws -> Value?
    ) async throws -> Value? {
        var isLive = false
        for await batch in socket.incoming {
            var events: [Event] = []
            for message in batch {
                if message.frames.first?.starts(with: Heartbeat.topicPrefix.utf8) == true {
                    isLive = true
                } else if let event = Event(message) {
                    events.append(event)
                }
            }
            if let value = try await body(events, isLive) { return value }
        }
        return nil
    }

    /// What its socket has done so far.
    public var counters: SocketCounters { socket.counters }

    /// Ends the connection.
    public func close() async {
        await socket.close()
    }
}

extension Event {
    /// Reads a message of two frames, or nothing if it is no event that we know.
    init?(_ message: Message) {
        guard message.frames.count == 2, let text = String(validating: message.frames[0], as: UTF8.self),
            let topic = Topic(text)
        else { return nil }
        // A newer marquee may say what this one cannot read; it is not this reader's business.
        guard let event = try? Event(topic: topic, body: message.frames[1]) else { return nil }
        self = event
    }
}
