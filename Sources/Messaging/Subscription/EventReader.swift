public import Contract
public import ZeroMQ

/// Reads a publisher's events as they arrive, without repairing losses.
///
/// Events that a full queue or a broken connection drops are lost; `Subscription` reads them from the log.
public struct EventReader: Sendable {
    private let socket: FailoverSubscriber

    /// Connects to the publisher at the first address for the topics that begin with one of the prefixes, and goes on at the
    /// next one when nothing arrives.
    public init(_ io: IOThread, addresses: [String], prefixes: [String]) async throws(ZeroMQError) {
        // Heartbeats last: the first one shows that the other subscriptions are active.
        let subscriptions = prefixes + [Heartbeat.topicPrefix]
        socket = try await FailoverSubscriber(
            io, addresses: addresses, subscriptions: subscriptions, clock: ContinuousClock())
    }

    /// Passes each batch of events to `body` until `body` returns a value. Unreadable messages are skipped.
    ///
    /// - Parameters:
    ///   - onHeartbeat: Receives each heartbeat, of two frames.
    ///   - body: Receives the events in the order of their arrival. `isLive` is true once the subscription is known to be
    ///     active.
    /// - Returns: The value of `body`; nil if the connection is closed first.
    public func read<Value>(
        onHeartbeat: (Message) -> Void = { _ in }, _ body: (_ events: [Event], _ isLive: Bool) async throws -> Value?
    ) async throws -> Value? {
        async let _: Void = socket.failOver()
        var isLive = false
        while let batch = await socket.next() {
            var events: [Event] = []
            for message in batch {
                if message.frames.first?.starts(with: Heartbeat.topicPrefix.utf8) == true {
                    isLive = true
                    onHeartbeat(message)
                } else if let event = Event(message) {
                    events.append(event)
                }
            }
            if let value = try await body(events, isLive) { return value }
        }
        return nil
    }

    /// Closes the connection.
    public func close() async {
        await socket.close()
    }
}

extension Event {
    /// Reads a message of two frames; nil if it is not an event that this version can read.
    init?(_ message: Message) {
        guard message.frames.count == 2, let text = String(validating: message.frames[0], as: UTF8.self),
            let topic = Topic(text)
        else { return nil }
        // A newer version may publish events that this one cannot read.
        guard let event = try? Event(topic: topic, body: message.frames[1]) else { return nil }
        self = event
    }
}
