import Contract
import JSONCoding
import ZeroMQ

/// Reads a process's log with the `replay` command, and repeats it after a timeout or an unusable reply, with growing pauses,
/// anew and at the next address if it has several.
actor ReplayClient {
    private static let pageLimit = 500
    private static let replyTimeout = Duration.seconds(10)
    private static let pauses = (first: Duration.milliseconds(250), longest: Duration.seconds(5))

    private let io: IOThread
    private var addresses: [String]
    private let clock: any Clock<Duration>
    private let report: @Sendable (Subscription.Diagnostic) -> Void
    private var client: CommandClient?

    init(
        _ io: IOThread, addresses: [String], clock: any Clock<Duration>,
        report: @escaping @Sendable (Subscription.Diagnostic) -> Void
    ) {
        self.io = io
        self.addresses = addresses
        self.clock = clock
        self.report = report
    }

    /// Returns the page after a sequence, however long that takes, unless it is cancelled or the I/O thread shut down.
    func page(of stream: Stream, after: SequenceNumber, prefix: String) async throws -> ReplayPage {
        let fields = Fields(stream: stream, after: after, topic: prefix, limit: Self.pageLimit)
        let query = String(decoding: JSON.encodeInfallibly(fields), as: UTF8.self)
        var pause = Self.pauses.first
        while true {
            do {
                return try ReplayPage(await ask(query), of: stream, after: after)
            } catch let error as ZeroMQError where error.reason == .closed {
                throw error
            } catch {
                await close()
                try Task.checkCancellation()
                addresses.append(addresses.removeFirst())
                report(.retrying(after: pause, because: error))
            }
            try await clock.sleep(for: pause)
            pause = min(pause * 2, Self.pauses.longest)
        }
    }

    func close() async {
        // Cleared first, because other calls may run while it closes.
        let old = client
        client = nil
        await old?.close()
    }

    private func ask(_ query: String) async throws -> Reply {
        if client == nil { client = try await CommandClient(io, addresses: addresses, clock: clock) }
        guard let client else { throw CancellationError() }  // closed meanwhile
        return try await client.ask("replay", query, within: Self.replyTimeout)
    }

    private struct Fields: Encodable {
        let stream: Stream
        let after: SequenceNumber
        let topic: String
        let limit: Int
    }
}

/// A page of a stream: the reply to `replay`.
struct ReplayPage: Sendable {
    let epoch: String
    /// The events in order, without those that this version cannot read.
    let events: [Event]
    /// The sequence up to which nothing was left out.
    let position: SequenceNumber
    let more: Bool
}

extension ReplayPage {
    init(_ reply: Reply, of stream: Stream, after: SequenceNumber) throws {
        if let failure = reply.failure { throw failure }
        guard reply.word == "events" else {
            throw ContractError(.internal, "replay returned the unexpected word \(reply.word.debugDescription)")
        }
        let header = try JSON.decode(PageHeader.self, from: reply.body)
        guard header.stream == stream, let position = header.position else {
            throw ContractError(.internal, "replay returned a page of another stream")
        }
        // The log of another epoch may be shorter; of its page only the epoch is used.
        guard !header.more || position > after else {
            throw ContractError(.internal, "replay returned a page that makes no progress")
        }
        epoch = header.epoch
        events = reply.events
        self.position = position
        more = header.more
    }
}

extension Reply {
    /// The events of a reply to `replay` or `latest` in order, without those that this version cannot read.
    var events: [Event] {
        stride(from: 2, to: frames.count - 1, by: 2).compactMap { index in
            Event(Message([frames[index], frames[index + 1]]))
        }
    }
}
