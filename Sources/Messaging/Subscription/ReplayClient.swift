import Concurrency
import Contract
import JSONCoding
import ZeroMQ

/// Reads a process's log by its `replay` command, and does not take no for an answer.
///
/// A question that gets no answer in time, or one that is no page, is asked again, over a new connection, after pauses
/// that grow.
actor ReplayClient {
    /// How many events a page is asked to have.
    private static let pageLimit = 500
    private static let deadline = Duration.seconds(10)
    private static let pauses = (first: Duration.milliseconds(250), longest: Duration.seconds(5))

    private let io: IOThread
    private let address: String
    private let clock: any Clock<Duration>
    private let note: @Sendable (Subscription.Note) -> Void
    private var client: CommandClient?

    init(
        _ io: IOThread, address: String, clock: any Clock<Duration>,
        note: @escaping @Sendable (Subscription.Note) -> Void
    ) {
        self.io = io
        self.address = address
        self.clock = clock
        self.note = note
    }

    /// The page after a place; throws only when cancelled, or when the I/O thread has been shut down.
    func page(of stream: Stream, after: SequenceNumber, prefix: String) async throws -> ReplayPage {
        let fields = Fields(stream: stream, after: after, topic: prefix, limit: Self.pageLimit)
        let question = String(decoding: JSON.encodeInfallibly(fields), as: UTF8.self)
        var pause = Self.pauses.first
        while true {
            do {
                return try ReplayPage(await ask(question), of: stream, after: after)
            } catch let error as ZeroMQError where error.reason == .closed {
                throw error
            } catch {
                await close()
                try Task.checkCancellation()
                note(.waiting(pause, because: error))
            }
            try await clock.sleep(for: pause)
            pause = min(pause * 2, Self.pauses.longest)
        }
    }

    /// Ends the connection.
    func close() async {
        // Taken first: while it closes, others may look.
        let old = client
        client = nil
        await old?.close()
    }

    private func ask(_ question: String) async throws -> Reply {
        let client: CommandClient
        if let kept = self.client {
            client = kept
        } else {
            client = try await CommandClient(io, address: address)
            self.client = client
        }
        return try await withDeadline(Self.deadline, orThrow: ResponseTimeoutError(address: address), clock: clock) {
            try await client.ask("replay", question)
        }
    }

    private struct Fields: Encodable {
        let stream: Stream
        let after: SequenceNumber
        let topic: String
        let limit: Int
    }
}
