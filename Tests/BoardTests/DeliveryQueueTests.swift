import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import Messaging
import Storage
import TestSupport
import Testing

@testable import Board

@Suite(.patience) struct DeliveryQueueTests {
    /// A batch of one event of a third of the queue's limit.
    private func largeBatch() async throws -> Subscription.Batch {
        let folder = try TemporaryFolder()
        let database = try Database(path: folder.file("events.db"), schema: Schema("test", version: 1, EventLog.tables))
        let topic = Topic.ranking(day: KoreanDate(dayNumber: 19_875), market: .all)
        let data = Array("\"\(String(repeating: "x", count: DeliveryQueue.limit / 3))\"".utf8)
        let logged = try await database.write { connection in
            let log = try EventLog(source: "/marquee/worker", in: connection)
            return try log.append([EventDraft(topic, data: data)], at: .now, in: connection)[0]
        }
        let event = try Event(topic: topic, body: logged.body)
        return try #require(Subscription.Batch([.event(event)], upTo: LogCursor(epoch: event.epoch)))
    }

    @Test("the events that wait for the read model are bounded by their bytes, however few they are")
    func bounded() async throws {
        let queue = DeliveryQueue()
        let batch = try await largeBatch()
        async let reading: Void = {
            for _ in 1...30 { await queue.enqueue(batch) }
        }()
        var received = 0
        while received < 30, let batches = await queue.dequeueAll() {
            #expect(batches.count <= 3)
            received += batches.count
        }
        await reading
    }
}
