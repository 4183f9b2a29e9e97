import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import SQLite
import TestSupport
import Testing

@testable import Worker

/// What is taken in, what is not, and what is found again, on a real database file.
@Suite(.timeLimit(.minutes(5))) struct RequestInboxTests {
    private func offer(_ id: String, _ body: String, topic: String = "fetch.day") throws -> WorkerStore.IntakeItem {
        let frames = RequestFrames(topic: topic, body: body)
        let request = try Request(frames, at: Desk.noon)
        return WorkerStore.IntakeItem(accepted: AcceptedRequest(id: Sample.id(id), request: request), frames: frames)
    }

    @Test("an id is taken in once, in one batch and ever after; another body under it is a conflict")
    func repetition() async throws {
        let desk = try await Desk()
        let answers = try await desk.store.offer([
            offer("a", "20240604"), offer("a", "20240604"), offer("a", "20240603"),
            offer("a", "20240604", topic: "fetch day"), offer("b", "20240604"),
        ])
        #expect(answers == [.accepted, .known, .conflict, .known, .accepted])
        #expect(
            try await desk.store.offer([offer("a", "20240604"), offer("b", "2024-06-04")]) == [.known, .conflict])
        #expect(desk.topics == ["request.accepted.a", "request.accepted.b"])
        try await desk.expectPublishedInOrder()
    }

    @Test("above the limit there is no room, but what is known stays known, and an end makes room")
    func overload() async throws {
        let desk = try await Desk(room: 2)
        let answers = try await desk.store.offer([
            offer("a", "20240604"), offer("b", "20240603"), offer("c", "20240602"), offer("a", "20240604"),
        ])
        #expect(answers == [.accepted, .accepted, .overloaded, .known])
        let first = try #require(await desk.store.takeUp().first)
        try await desk.store.settle(first, with: ContractError(.notPublished, "not yet"))
        #expect(
            try await desk.store.offer([offer("c", "20240602"), offer("d", "20240601")]) == [.accepted, .overloaded])
    }

    @Test("what waits is taken up as it was accepted, wherever the clock stands by then", arguments: [-400.0, 400])
    func takeUp(_ days: Double) async throws {
        let desk = try await Desk()
        let first = try await desk.accept(Sample.chart, as: "a")
        let second = try await desk.accept(
            Request(.movie(Sample.code("2022B512"), poster: false), id: Sample.id("b"), priority: .backfill), as: "b")
        desk.setClock(to: Desk.noon + days * 86_400)
        #expect(try await desk.store.takeUp() == [first, second])
    }

    @Test("what waits is taken up with who asked for it, and of an earlier version likewise")
    func origins() async throws {
        let desk = try await Desk()
        let origins = [RequestOrigin.backfill, .client, .schedule]
        let accepted = zip(["a", "b", "c"], origins).map {
            AcceptedRequest(id: Sample.id($0), request: Sample.chart, origin: $1)
        }
        _ = try await desk.store.offer(
            accepted.map { WorkerStore.IntakeItem(accepted: $0, frames: Sample.chart.frames) })
        #expect(try await desk.store.takeUp() == accepted)

        let path = desk.folder.file("earlier.db")
        let earlier = Schema.Component("inbox", migrations: Array(RequestInbox.schema.migrations.prefix(1)))
        let before = try Database(path: path, schema: Schema(earlier))
        let ids = ["schedule.day.2024-06-04.morning", "schedules", "backfill.1.day.2024-06-04", "backfill", "z"]
        try await before.write { connection in
            for id in ids {
                try connection.execute(
                    """
                    insert into inbox (id, topic, body, request, accepted_at, state)
                    values (?, 'fetch.day', '', '', '2024-06-05T03:00:00Z', 0)
                    """, id)
            }
        }
        await before.close()
        let now = try Database(path: path, schema: Schema(RequestInbox.schema))
        let waiting = try await now.read { try RequestInbox(limit: 10).waiting(in: $0) }
        #expect(waiting.map(\.id.description) == ids)
        #expect(waiting.map(\.origin) == [.schedule, .client, .backfill, .client, .client])
        await now.close()
    }

    @Test("a waiting request that cannot be read any more fails, and the others are taken up")
    func unreadable() async throws {
        let desk = try await Desk()
        try await desk.accept(Sample.chart, as: "a")
        let second = try await desk.accept(Sample.chart, as: "b")
        try await desk.database.write { try $0.execute("update inbox set topic = 'fetch.dream' where id = 'a'") }
        #expect(try await desk.store.takeUp() == [second])
        #expect(desk.topics.last == "request.failed.a")
        #expect(try await desk.store.takeUp() == [second])
        #expect(desk.events("request.failed").count == 1)
    }

    @Test("a refused request has its end under its id, once, and none if the id is another's")
    func refuse() async throws {
        let desk = try await Desk()
        try await desk.accept(Sample.chart, as: "a")
        let failure = ContractError(.badRequest, "date is needed", field: "date")
        func refused(_ id: String) -> WorkerStore.RejectedRequest {
            WorkerStore.RejectedRequest(id: Sample.id(id), topic: .fetchDay, body: #"{"nation":"K"}"#, failure: failure)
        }
        try await desk.store.refuse([refused("a"), refused("b"), refused("b"), refused("c")])
        #expect(desk.topics == ["request.accepted.a", "request.failed.b", "request.failed.c"])
        let failed = try #require(desk.events("request.failed").first).data(as: RequestFailed.self)
        #expect(failed.topic == "fetch.day")
        #expect(failed.error == failure)
        #expect(try await desk.store.takeUp().map(\.id) == [Sample.id("a")])
    }
}
