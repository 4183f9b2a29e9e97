import BoxOffice
import Concurrency
import Contract
import EventStore
import FoundationEssentials
import OpenMarket
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import Worker

/// Workers that share a database.
@Suite struct SharingTests {
    let harness: WorkerHarness
    /// The store of another worker.
    let other: WorkerStore

    init() async throws {
        harness = try await WorkerHarness()
        var other = harness.store
        other.worker = 7
        self.other = other
    }

    private func sign(_ stores: WorkerStore...) async throws {
        for store in stores { _ = try await store.write { try WorkerRegistry($0).sign() } }
    }

    /// Lets a worker have been silent for so many seconds.
    private func silence(_ store: WorkerStore, for seconds: Int) async throws {
        try await store.write { try $0.silence(store.worker, for: seconds) }
    }

    /// Does what a worker does that finds others dead, and returns the requests that it has taken over.
    private func takeOver(_ store: WorkerStore) async throws -> [AcceptedRequest] {
        try await store.write { try $0.takeOver() }
    }

    @Test("a request is taken over when its worker is silent for more than fifteen seconds, not before")
    func silent() async throws {
        try await sign(harness.store, other)
        let accepted = try await harness.accept(Sample.chart, as: "a")
        // In one transaction, since a slow disk would lengthen the silence.
        let early = try await other.write { [worker = harness.store.worker] transaction in
            try transaction.silence(worker, for: WorkerRegistry.lifetime / 2)
            return try transaction.takeOver()
        }
        #expect(early.isEmpty)
        try await silence(harness.store, for: WorkerRegistry.lifetime + 3)
        #expect(try await takeOver(other) == [accepted.triedOnce])
        #expect(try await takeOver(other).isEmpty)
    }

    @Test("a worker that has slept ends no request that another has taken over, and begins none")
    func slept() async throws {
        try await sign(harness.store, other)
        let accepted = try await harness.accept(Sample.chart, as: "a")
        try await silence(harness.store, for: 60)
        _ = try await takeOver(other)
        try await sign(harness.store)
        #expect(try await harness.settle(accepted, with: Sample.result(10), askedAt: WorkerHarness.noon) == nil)
        #expect(try await harness.settle(accepted, with: ContractError(.internal, "late")) == nil)
        #expect(try await !harness.store.write { try RequestInbox($0).begin(accepted.id) })
        #expect(try await !harness.store.read { try RequestInbox($0).isClaimed(accepted.id) })
        #expect(harness.topics == ["request.accepted.a"])
        _ = try await other.write {
            try SettlementStore($0).settle(accepted, with: Sample.result(10), askedAt: WorkerHarness.noon)
        }
        #expect(harness.topics.suffix(1) == ["request.done.a"])
    }

    @Test("an order to the shop waits for the worker that was there first, and for the next one when that has left")
    func orders() async throws {
        try await sign(harness.store, other)
        let order = Request(.productOrder(.remove(try #require(ProductID(7)))))
        let accepted = AcceptedRequest(id: Sample.id("order"), request: order)
        let item = IntakeItem(accepted: accepted, frames: order.frames)
        #expect(try await other.write { try RequestInbox($0).accept([item]) } == [.accepted])
        #expect(try await takeOver(other).isEmpty)
        #expect(harness.queue.lengths.live == 0)
        #expect(try await takeOver(harness.store) == [accepted])
        try await harness.store.write { try WorkerRegistry($0).remove($0.worker) }
        #expect(try await takeOver(other) == [accepted.triedOnce])
    }

    @Test("the worker that was there first leads, and the next one when that has left")
    func lead() async throws {
        try await sign(harness.store, other)
        #expect(try await harness.store.read { try WorkerRegistry($0).isLeader() })
        #expect(try await !other.read { try WorkerRegistry($0).isLeader() })
        try await silence(harness.store, for: 60)
        _ = try await takeOver(other)
        try await sign(harness.store)
        #expect(try await !harness.store.read { try WorkerRegistry($0).isLeader() })
        #expect(try await other.read { try WorkerRegistry($0).isLeader() })
    }

    @Test("the workers are listed with their silence and what they have claimed, the leader first")
    func workers() async throws {
        try await sign(harness.store, other)
        let ended = try await harness.accept(Sample.chart, as: "a")
        for id in ["b", "c"] { try await harness.accept(Sample.chart, as: id) }
        try await harness.settle(ended, with: ContractError(.internal, "no"))
        try await silence(other, for: WorkerRegistry.lifetime + 60)
        let workers = try await harness.store.read { try WorkerRegistry($0).workers() }
        #expect(workers.map(\.name) == [processName, processName])
        #expect(workers.map(\.requests) == [2, 0])
        #expect(workers.map(\.isLeader) == [true, false])
        #expect(workers[1].silence >= WorkerRegistry.lifetime + 60)
    }

    @Test("each worker publishes what one alone would, though it has only the log")
    func follower() async throws {
        let refreshed = Request(.day(Sample.day, .all), refresh: true)
        let first = try await harness.accept(Sample.chart, as: "first")
        try await harness.settle(first, with: Sample.result(10), askedAt: WorkerHarness.noon)
        // Answered from the log; found to be unchanged; changed; failed.
        try await harness.accept(Sample.chart, as: "known")
        let unchanged = try await harness.accept(refreshed, as: "unchanged")
        try await harness.settle(unchanged, with: Sample.result(10), askedAt: WorkerHarness.noon + 1)
        let changed = try await harness.accept(refreshed, as: "changed")
        let failing = try await harness.accept(refreshed, as: "failing")
        try await harness.settle(changed, with: Sample.result(11), askedAt: WorkerHarness.noon + 2)
        try await harness.settle(failing, with: ContractError(.internal, "no"))
        let published = Locked<[LoggedEvent]>([])
        let follower = LogFollower(
            store: harness.store, publish: { events in published.withLock { $0 += events } }, runtime: harness.runtime,
            start: 0, wakeSignal: WakeSignal())
        await follower.stop()
        try await follower.run()
        #expect(published.withLock { $0 } == harness.events())
        #expect(harness.topics.count { $0.hasPrefix("ranking.") } == 4)
    }
}

extension StoreTransaction {
    /// Lets a worker have been silent for so many seconds.
    fileprivate func silence(_ worker: Int, for seconds: Int) throws {
        try connection.execute("update worker set seen_at = unixepoch() - ? where id = ?", seconds, worker)
    }

    fileprivate func takeOver() throws -> [AcceptedRequest] {
        try WorkerRegistry(self).removeDead()
        return try RequestInbox(self).claimPending()
    }
}
