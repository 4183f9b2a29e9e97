import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import Storage
import TestSupport
import Testing

@testable import Worker

/// What is taken in, what is not, and what is found again, on a real database file.
@Suite(.patience) struct RequestInboxTests {
    private func item(_ id: String, _ body: String, topic: String = "fetch.day") throws -> IntakeItem {
        let frames = RequestFrames(topic: topic, body: body)
        let request = try Request(frames, at: WorkerHarness.noon)
        return IntakeItem(accepted: AcceptedRequest(id: Sample.id(id), request: request), frames: frames)
    }

    @Test("an id is accepted once, in one batch and later; the same id with another body is a conflict")
    func repetition() async throws {
        let harness = try await WorkerHarness()
        let answers = try await harness.accept([
            item("a", "20240604"), item("a", "20240604"), item("a", "20240603"),
            item("a", "20240604", topic: "fetch day"), item("b", "20240604"),
        ])
        #expect(answers == [.accepted, .duplicate, .conflict, .duplicate, .accepted])
        #expect(
            try await harness.accept([item("a", "20240604"), item("b", "2024-06-04")]) == [.duplicate, .conflict])
        #expect(harness.topics == ["request.accepted.a", "request.accepted.b"])
        try await harness.expectPublishedInOrder()
    }

    @Test("above the limit there is no room, but what is known stays known, and an end makes room")
    func overload() async throws {
        let harness = try await WorkerHarness(room: 2)
        let answers = try await harness.accept([
            item("a", "20240604"), item("b", "20240603"), item("c", "20240602"), item("a", "20240604"),
        ])
        #expect(answers == [.accepted, .accepted, .overloaded, .duplicate])
        let first = try #require(await harness.claimPending().first)
        try await harness.settle(first, with: ContractError(.notPublished, "not yet"))
        #expect(
            try await harness.accept([item("c", "20240602"), item("d", "20240601")]) == [.accepted, .overloaded])
    }

    @Test(
        "waiting requests are loaded in the order of acceptance, whatever the clock says",
        arguments: [-400.0, 400])
    func claimPending(_ days: Double) async throws {
        let harness = try await WorkerHarness()
        let first = try await harness.accept(Sample.chart, as: "a")
        let second = try await harness.accept(
            Request(.movie(Sample.code("2022B512"), poster: false), id: Sample.id("b"), priority: .backfill), as: "b")
        harness.setClock(to: WorkerHarness.noon + days * 86_400)
        #expect(try await harness.claimPending() == [first.triedOnce, second.triedOnce])
    }

    @Test("waiting requests are loaded with their origin")
    func origins() async throws {
        let harness = try await WorkerHarness()
        let origins = [RequestOrigin.backfill, .client, .schedule]
        let accepted = zip(["a", "b", "c"], origins).map {
            AcceptedRequest(id: Sample.id($0), request: Sample.chart, origin: $1)
        }
        _ = try await harness.accept(
            accepted.map { IntakeItem(accepted: $0, frames: Sample.chart.frames) })
        #expect(try await harness.claimPending() == accepted.map(\.triedOnce))
    }

    @Test("a waiting request that cannot be read any more fails, and the others are loaded")
    func unreadable() async throws {
        let harness = try await WorkerHarness()
        try await harness.accept(Sample.chart, as: "a")
        let second = try await harness.accept(Sample.chart, as: "b")
        try await harness.database.write { try $0.execute("update inbox set topic = 'fetch.dream' where id = 'a'") }
        #expect(try await harness.claimPending() == [second.triedOnce])
        #expect(harness.topics.last == "request.failed.a")
        #expect(try await harness.claimPending() == [second.triedOnce])
        #expect(harness.events("request.failed").count == 1)
    }

    @Test("a rejected request ends under its id, once, and not at all if the id is used")
    func refuse() async throws {
        let harness = try await WorkerHarness()
        try await harness.accept(Sample.chart, as: "a")
        let failure = ContractError(.badRequest, "date is required", field: "date")
        func rejected(_ id: String) -> RejectedRequest {
            RejectedRequest(id: Sample.id(id), topic: .fetchDay, body: #"{"nation":"K"}"#, error: failure)
        }
        try await harness.reject([rejected("a"), rejected("b"), rejected("b"), rejected("c")])
        #expect(harness.topics == ["request.accepted.a", "request.failed.b", "request.failed.c"])
        let failed = try #require(harness.events("request.failed").first).data(as: RequestFailed.self)
        #expect(failed.topic == "fetch.day")
        #expect(failed.error == failure)
        #expect(try await harness.claimPending().map(\.id) == [Sample.id("a")])
    }
}
