import Contract
import EventStore
import FoundationEssentials
import Health
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import Worker

/// What a request leaves on the disk, for how long, and what becomes of one that ends the worker.
@Suite(.patience) struct RequestRetentionTests {
    private func item(_ id: String, _ body: String) throws -> IntakeItem {
        let frames = RequestFrames(topic: "fetch.day", body: body)
        let request = try Request(frames, at: WorkerHarness.noon)
        return IntakeItem(accepted: AcceptedRequest(id: Sample.id(id), request: request), frames: frames)
    }

    private func rejected(_ id: String, body: String = "{}") -> RejectedRequest {
        RejectedRequest(
            id: Sample.id(id), topic: .fetchDay, body: body, error: ContractError(.dateOutOfRange, "too early"))
    }

    private func ids(_ harness: WorkerHarness) async throws -> [String] {
        try await harness.database.read { try $0.query("select id from inbox order by number", as: String.self) }
    }

    private func retention(_ harness: WorkerHarness) -> RequestRetention {
        RequestRetention(store: harness.store, days: 30, runtime: harness.runtime)
    }

    // MARK: Bytes

    @Test("the inbox keeps a digest of what was sent, and a repetition is still told from a conflict")
    func digest() async throws {
        let harness = try await WorkerHarness()
        let padding = String(repeating: "x", count: 60_000)
        let body = #"{"date":"2024-06-04","padding":"\#(padding)"}"#
        let refused = #"{"date":"1999-01-01","area":"\#(padding)"}"#
        #expect(try await harness.accept([item("a", body), item("a", body)]) == [.accepted, .duplicate])
        #expect(try await harness.accept([item("a", body + " ")]) == [.conflict])
        try await harness.reject([rejected("b", body: refused)])
        let (rows, events) = try await harness.database.read { connection in
            (
                try connection.query(
                    "select max(length(digest)), max(length(request)) from inbox", as: Int.self, Int.self)[0],
                try connection.query("select max(length(body)) from event", as: Int.self)[0]
            )
        }
        #expect(rows.0 == 64 && rows.1 < 100 && events < 2_000)
    }

    @Test("a client has its share of bytes a day, and each client has its own")
    func share() {
        let limits = IntakeLimits(share: 10_000, reserve: 0, folder: "/")
        let noon = WorkerHarness.noon
        for _ in 1...4 { #expect(limits.refusal(of: 1_000, from: "a", at: noon) == nil) }
        let refusal = limits.refusal(of: 1, from: "a", at: noon)
        #expect(refusal?.code == .overloaded && refusal?.retryAfter == 21 * 3_600)
        #expect(limits.refusal(of: 1, from: "b", at: noon) == nil)
        #expect(limits.refusal(of: 1, from: "a", at: noon + 86_400) == nil)
    }

    @Test("requests are refused while the disk has no more than its reserve, and the worker is not ready")
    func reserve() async {
        #expect(IntakeLimits(share: .max, reserve: 1, folder: "/").diskRefusal() == nil)
        #expect(IntakeLimits(share: .max, reserve: 0, folder: "/").diskRefusal() == nil)
        // No disk has twice its size free.
        let limits = IntakeLimits(share: .max, reserve: .max, folder: "/", largestPart: 2)
        #expect(limits.diskRefusal()?.code == .internal)
        #expect(await limits.diskCheck.failureReason()?.hasPrefix("disk: ") == true)
        #expect(await IntakeLimits(share: .max, reserve: 1, folder: "/").diskCheck.failureReason() == nil)
    }

    // MARK: Time

    @Test("after thirty days a request and its events are gone, and nothing else is")
    func expiry() async throws {
        let harness = try await WorkerHarness()
        _ = try await harness.accept([item("a", "20240604"), item("b", "20240603"), item("c", "20240602")])
        let pending = try await harness.claimPending()
        try await harness.settle(pending[0], with: ContractError(.notPublished, "not yet"))
        try await harness.settle(pending[1], with: ContractError(.notPublished, "not yet"))
        let anomalies = harness.events("anomaly.").count
        harness.setClock(to: WorkerHarness.noon + 29 * 86_400)
        try await retention(harness).expire()
        #expect(try await ids(harness) == ["a", "b", "c"])
        harness.setClock(to: WorkerHarness.noon + 31 * 86_400)
        _ = try await harness.accept([item("d", "20240601")])
        try await retention(harness).expire()
        // What has not ended stays, and is still loaded.
        #expect(try await ids(harness) == ["c", "d"])
        #expect(try await harness.claimPending().map(\.id) == [Sample.id("c"), Sample.id("d")])
        let (page, oldest, verified) = try await harness.database.read { [log = harness.store.log] connection in
            try EventLog.verify(connection)
            return (
                try log.events(of: .request, after: .zero, limit: 10, in: connection),
                try log.oldest(of: .request, in: connection), try log.positions(in: connection)
            )
        }
        #expect(page.events.map(\.topic.description) == ["request.accepted.d"])
        #expect(page.events.first?.sequence == oldest && verified[.request] == oldest)
        #expect(harness.events("anomaly.").count == anomalies)
    }

    @Test("the newest event of the stream stays however old it is, so that sequences go on")
    func newest() async throws {
        let harness = try await WorkerHarness()
        _ = try await harness.accept([item("a", "20240604"), item("b", "20240603")])
        harness.setClock(to: WorkerHarness.noon + 100 * 86_400)
        try await retention(harness).expire()
        _ = try await harness.accept([item("c", "20240602")])
        #expect(harness.events("request.").map(\.sequence.description).last == "0000000000000003")
        try await harness.database.read { try EventLog.verify($0) }
    }

    @Test("a refused request leaves the inbox after a day")
    func refused() async throws {
        let harness = try await WorkerHarness()
        try await harness.reject([rejected("a")])
        harness.setClock(to: WorkerHarness.noon + 3_600)
        try await harness.reject([rejected("a"), rejected("b")])
        #expect(harness.topics == ["request.failed.a", "request.failed.b"])
        harness.setClock(to: WorkerHarness.noon + 86_401)
        try await retention(harness).expire()
        #expect(try await ids(harness) == ["b"])
    }

    // MARK: Tries

    @Test("a request that was begun three times and never ended fails as internal, and is kept without its secret")
    func poison() async throws {
        let harness = try await WorkerHarness()
        let accepted = try await harness.accept(Sample.chart, as: "a")
        try await harness.store.write {
            try OrderStore($0).insert(
                Attachments(secret: "secret", images: [[1]]), of: accepted.id)
        }
        // The run that accepted it has begun it once, without a note on disk.
        for tries in 1..<3 {
            #expect(try await harness.claimPending().map(\.tries) == [tries])
            #expect(try await harness.store.write { try RequestInbox($0).begin(accepted.id) })
        }
        #expect(try await harness.claimPending().isEmpty)
        let failed = try #require(harness.events("request.failed").first).data(as: RequestFailed.self)
        #expect(failed.error.code == .internal)
        #expect(try await harness.store.read { try RequestInbox($0).setAside() } == [accepted.id])
        let attachments = try await harness.attachments(of: accepted.id)
        #expect(attachments.secret == nil && attachments.images == [[1]])
        #expect(harness.log.text.contains("is set aside"))
        #expect(try await !harness.store.write { try RequestInbox($0).begin(accepted.id) })
        // Once: a later start does not fail it again.
        #expect(try await harness.claimPending().isEmpty)
        #expect(harness.events("request.failed").count == 1)
    }
}
