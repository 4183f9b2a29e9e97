import EventStoreTestSupport
import FoundationEssentials
import TestSupport
import Testing
import ZeroMQ

@testable import Contract
@testable import EventStore
@testable import Messaging

/// A publishing process with a log: it sends events and heartbeats and answers commands.
final class PublisherHarness: Sendable {
    let io: IOThread
    let log: EventLogFixture
    let events: String
    let commands: String
    private let publisher: Publisher
    private let eventSocket: Socket
    private let work: Task<Void, Never>

    /// Starts the process on a log.
    ///
    /// `answer` replaces the log's reply where it returns one. With `advertisesAll` false, heartbeats carry only the
    /// positions of events that the process has sent itself.
    init(
        _ log: EventLogFixture, events: String = "tcp://127.0.0.1:*", commands: String = "tcp://127.0.0.1:*",
        advertisesAll: Bool = true,
        answer: @escaping @Sendable (Command) async -> Reply? = { _ in nil }
    ) async throws {
        self.log = log
        io = try IOThread()
        let eventSocket = try await io.open(.publisher, bind: [events])
        let router = try await io.open(.router, bind: [commands])
        let publisher = Publisher(
            eventSocket, of: log.log, positions: advertisesAll ? try await log.positions() : [:])
        let logCommands = LogHandler(log: log.log, database: log.database) { .status(["well": true]) }
        self.events = eventSocket.addresses[0]
        self.commands = router.addresses[0]
        self.eventSocket = eventSocket
        self.publisher = publisher
        work = Task {
            async let beating: Void = publisher.run(now: { log.time }, clock: ContinuousClock())
            await CommandServer(router).run { commands in
                var replies: [Reply] = []
                for command in commands {
                    if let reply = await answer(command) {
                        replies.append(reply)
                    } else {
                        replies.append(await logCommands.answer(command))
                    }
                }
                return replies
            }
            await beating
        }
    }

    /// Appends events and returns them without publishing them.
    @discardableResult func write(_ topics: [String]) async throws -> [LoggedEvent] {
        try await log.append(
            topics.map { topic in try EventDraft(#require(Topic(topic)), encoding: ["about": topic]) })
    }

    /// Sends events; those for which the queues have no room are lost.
    func send(_ events: [LoggedEvent]) {
        publisher.publish(events)
    }

    /// Appends events and sends them.
    func publish(_ topics: String...) async throws {
        send(try await write(topics))
    }

    /// Sends a heartbeat with the log's positions, whether or not all events were sent.
    func sendHeartbeat() async throws {
        let heartbeat = Heartbeat(epoch: log.log.epoch, positions: try await log.positions())
        eventSocket.post([Message(heartbeat.frames(from: log.log.source, at: log.time))])
    }

    /// Waits until a client has subscribed to events and to heartbeats.
    func waitForSubscriber() async {
        await eventSocket.waitForSubscription(after: 1)
    }

    /// Subscribes to the process.
    func subscription(
        to prefixes: [String], from start: LogCursor?, clock: any Clock<Duration> = ContinuousClock(),
        onDiagnostic: @escaping @Sendable (Subscription.Diagnostic) -> Void = { _ in }
    ) async throws -> Subscription {
        try await Subscription(
            io, events: [events], commands: [commands], prefixes: prefixes, from: start, clock: clock,
            onDiagnostic: onDiagnostic)
    }

    /// Stops the process and closes every socket on its thread.
    func end() async {
        await io.shutdown()
        await work.value
    }
}

/// Returns `count` different topics.
func requests(_ count: Int) -> [String] {
    (1...count).map { "request.done.\($0)" }
}

extension Subscription {
    /// Passes each item to `body` until that returns a value.
    func read<Value>(_ body: (Item) async throws -> Value?) async throws -> Value? {
        try await readBatches { batch in
            for item in batch.items {
                if let value = try await body(item) { return value }
            }
            return nil
        }
    }

    /// The events up to the one with the given number in its stream, by number; of one stream alone, if that is given.
    func numbers(upTo last: Int, of stream: Contract.Stream? = nil) async throws -> [UInt64] {
        var numbers: [UInt64] = []
        _ = try await read { delivery -> Bool? in
            guard case .event(let event) = delivery, event.stream == stream ?? event.stream else { return nil }
            numbers.append(event.sequence.value)
            return event.sequence.value == UInt64(last) ? true : nil
        }
        return numbers
    }
}
