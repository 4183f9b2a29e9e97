import BoxOffice
import Concurrency
import Contract
import EventStore
import FoundationEssentials
import JSONCoding
import OpenMarket
import Storage
import TestSupport
import Testing

@testable import Worker

/// The worker's store on a real database file.
@Suite(.patience) struct WorkerStoreTests {
    @Test("a request ends once, whatever is found later, and its events are published with its end, in order")
    func oneEnd() async throws {
        let harness = try await WorkerHarness()
        let accepted = try await harness.accept(Sample.chart, as: "a")
        try await harness.settle(accepted, with: Sample.result(10), askedAt: WorkerHarness.noon)
        try await harness.settle(accepted, with: Sample.result(11), askedAt: WorkerHarness.noon)
        try await harness.settle(accepted, with: ContractError(.internal, "too late"))
        #expect(harness.topics == ["request.accepted.a", "ranking.day.all.2024-06-04", "request.done.a"])
        let done = try #require(harness.events("request.done").first).data(as: RequestDone.self)
        #expect(done.from == .upstream)
        #expect(done.events.map(\.topic) == ["ranking.day.all.2024-06-04"])
        try await harness.expectPublishedInOrder()
    }

    @Test("what would be an event of megabytes is not written")
    func oversized() async throws {
        let harness = try await WorkerHarness()
        let accepted = try await harness.accept(Sample.newChart, as: "a")
        var movie = Movie(code: Sample.code("20240001"), title: "첫눈")
        movie.staff = (0..<40_000).map { Movie.Staff(name: "사람 \($0)") }
        let result = FetchResult(fetched: [.movie(movie)], source: .upstream)
        let error = await #expect(throws: ContractError.self) {
            try await harness.settle(accepted, with: result, askedAt: WorkerHarness.noon)
        }
        #expect(error?.code == .upstreamInvalid)
        #expect(try await harness.store.read { try $0.latest(.movie(Sample.code("20240001"))) } == nil)
    }

    @Test("a request that the log can answer is answered by the commit that accepts it")
    func answeredAtOnce() async throws {
        let harness = try await WorkerHarness()
        let first = try await harness.accept(Sample.chart, as: "a")
        try await harness.settle(first, with: Sample.result(10), askedAt: WorkerHarness.noon)
        let chart = try #require(harness.events("ranking.").first)
        let admission = Locked(CommittedChanges())
        harness.observeCommits { changes in admission.withLock { $0 = changes } }
        let items = [("b", false), ("c", true)].map { id, refresh in
            let request = Request(.day(Sample.day, .all), id: Sample.id(id), refresh: refresh)
            return IntakeItem(
                accepted: AcceptedRequest(id: Sample.id(id), request: request), frames: request.frames)
        }
        let answers = try await harness.accept(items)
        #expect(answers == [.accepted, .accepted])
        let topics = ["request.accepted.b", chart.topic.description, "request.done.b", "request.accepted.c"]
        #expect(harness.topics.suffix(4) == topics[...])
        #expect(harness.events("ranking.").last == chart)
        #expect(try #require(harness.events("request.done.b").first).data(as: RequestDone.self).from == .log)
        #expect(admission.withLock { $0.done.map(\.id) } == [Sample.id("b")])
        #expect(admission.withLock { $0.waiting.map(\.id) } == [Sample.id("c")])
        #expect(try await harness.claimPending().map(\.id) == [Sample.id("c")])
        try await harness.expectPublishedInOrder()
    }

    @Test("an event that arrives while a request waits answers it")
    func answeredMeanwhile() async throws {
        let harness = try await WorkerHarness()
        let admission = Locked(CommittedChanges())
        harness.observeCommits { changes in admission.withLock { $0 = changes } }
        let items = ["a", "b"].map { id in
            IntakeItem(
                accepted: AcceptedRequest(id: Sample.id(id), request: Sample.chart), frames: Sample.chart.frames)
        }
        _ = try await harness.accept(items)
        let waiting = admission.withLock { $0.waiting }
        #expect(try await !harness.fresh(waiting[1].request).isComplete)
        try await harness.settle(waiting[0], with: Sample.result(10), askedAt: WorkerHarness.noon)
        let fresh = try await harness.fresh(waiting[1].request)
        #expect(fresh.isComplete && fresh.events == harness.events("ranking."))
    }

    @Test("requests are queued once they are published; a write in the same commit may have answered one of them")
    func handedOn() async throws {
        let harness = try await WorkerHarness()
        let first = try await harness.accept(Sample.chart, as: "first")
        let handed = Locked<[(waiting: [AcceptedRequest], published: Int)]>([])
        harness.observeCommits { [unowned harness] changes in
            guard !changes.waiting.isEmpty else { return }
            handed.withLock { $0.append((changes.waiting, harness.topics.count)) }
        }
        let targets: [Request.Target] = [
            .day(Sample.day, .all), .day(Sample.day - 1, .all), .productOrder(.remove(try #require(ProductID(7)))),
        ]
        let items = zip(["answered", "asks", "orders"], targets).map { id, target in
            let request = Request(target)
            return IntakeItem(
                accepted: AcceptedRequest(id: Sample.id(id), request: request), frames: request.frames)
        }
        // While the writer is held, the two others come to share a commit.
        let gate = Monitor(false)
        let (started, signal) = AsyncStream<Void>.makeStream()
        let holding = Task {
            try await harness.database.write { _ in
                signal.finish()
                gate.wait { $0 }
            }
        }
        for await _ in started {}
        let offering = Task.immediate {
            try await harness.accept(items)
        }
        let settling = Task.immediate {
            try await harness.settle(first, with: Sample.result(10), askedAt: WorkerHarness.noon)
        }
        gate.withLock { $0 = true }
        try await holding.value
        _ = try await (offering.value, settling.value)

        let batches = handed.withLock { $0 }
        #expect(batches.map { $0.waiting.map(\.id.description) } == [["answered", "asks", "orders"]])
        #expect(batches.map(\.published) == [4])
        #expect(try await harness.fresh(batches[0].waiting[0].request).isComplete)
        #expect(try await !harness.fresh(batches[0].waiting[1].request).isComplete)
    }

    @Test("a request that cannot be stored is not queued, and has no end")
    func notKept() async throws {
        let harness = try await WorkerHarness()
        let handed = Locked<[AcceptedRequest]>([])
        harness.observeCommits { changes in handed.withLock { $0 += changes.waiting } }
        let request = Request(.day(Sample.day, .all))
        let accepted = AcceptedRequest(id: Sample.id("a"), request: request)
        try await harness.database.write { connection in
            try connection.execute(
                "create trigger refusal before insert on event begin select raise(abort, 'no event'); end")
        }
        await #expect(throws: (any Error).self) {
            _ = try await harness.accept([IntakeItem(accepted: accepted, frames: request.frames)])
        }
        try await harness.database.write { try $0.execute("drop trigger refusal") }
        #expect(handed.withLock { $0.isEmpty })
        #expect(try await harness.settle(accepted, with: Sample.result(10), askedAt: WorkerHarness.noon) == nil)
        #expect(harness.topics.isEmpty)
        #expect(try await harness.claimPending().isEmpty)
    }

    @Test("the origin of a request is reported when it ends, by a result, by a failure or from the log")
    func endsByOrigin() async throws {
        let harness = try await WorkerHarness()
        let ended = Locked<[(origin: RequestOrigin, published: Int)]>([])
        harness.observeCommits { [unowned harness] changes in
            for origin in changes.ended { ended.withLock { $0.append((origin, harness.topics.count)) } }
        }
        func accept(_ id: String, of origin: RequestOrigin) async throws -> AcceptedRequest {
            let accepted = AcceptedRequest(id: Sample.id(id), request: Sample.chart, origin: origin)
            _ = try await harness.accept([IntakeItem(accepted: accepted, frames: Sample.chart.frames)])
            return accepted
        }
        try await harness.settle(accept("a", of: .schedule), with: ContractError(.internal, "no"))
        try await harness.settle(accept("b", of: .backfill), with: Sample.result(10), askedAt: WorkerHarness.noon)
        _ = try await accept("c", of: .schedule)
        try await harness.settle(
            AcceptedRequest(id: Sample.id("b"), request: Sample.chart, origin: .client),
            with: ContractError(.internal, "late"))
        #expect(ended.withLock { $0.map(\.origin) } == [.schedule, .backfill, .schedule])
        #expect(ended.withLock { $0.map(\.published) } == [2, 5, 8])
    }

    @Test("a write that fails publishes nothing, and leaves the request waiting")
    func nothingBeforeItsCommit() async throws {
        let harness = try await WorkerHarness()
        let accepted = try await harness.accept(Sample.chart, as: "a")
        try await harness.database.setFull(true)
        var chart = Sample.chart(10)
        chart.entries = (1...200).map { line in
            var entry = chart.entries[0]
            entry.line = line
            entry.audience = line
            return entry
        }
        let result = FetchResult(fetched: [.chart(chart)], source: .upstream)
        await #expect(throws: (any Error).self) {
            try await harness.settle(accepted, with: result, askedAt: WorkerHarness.noon)
        }
        #expect(harness.topics == ["request.accepted.a"])
        #expect(try await harness.claimPending() == [accepted.triedOnce])
        try await harness.database.setFull(false)
        try await harness.settle(accepted, with: result, askedAt: WorkerHarness.noon)
        #expect(harness.topics.count == 3)
    }
}
