import Concurrency
import Contract
import EventStore
import Storage
import TestSupport
import Testing

@testable import Worker

@Suite(.patience) struct WorkerStatusTests {
    @Test("a status is made once, given again while nothing has changed, and made anew after the next commit")
    func keptStatus() async throws {
        let harness = try await WorkerHarness()
        let made = Locked(0)
        let cache = WorkerStatusCache()
        func reply() async throws -> Reply {
            let version = (
                commits: harness.database.commitCount, live: 0, backfill: 0, second: 0, uptime: 0
            )
            return try await cache.reply(at: version) {
                made.withLock { $0 += 1 }
                return WorkerStatus(
                    version: "1", epoch: "",
                    positions: try await harness.database.read { try harness.store.log.positions(in: $0) },
                    queue: WorkerStatus.Queue(live: 0, backfill: 0), quota: [:], uptime: 0)
            }
        }
        func hasPosition(_ reply: Reply) -> Bool {
            String(decoding: reply.body, as: UTF8.self).contains(#""positions":{"request":"0000000000000001"}"#)
        }
        for _ in 0..<3 { #expect(try await !hasPosition(reply())) }
        #expect(made.withLock { $0 } == 1)
        try await harness.accept(Sample.chart, as: "a")
        for _ in 0..<3 { #expect(try await hasPosition(reply())) }
        #expect(made.withLock { $0 } == 2)
    }

    @Test("the process and the workers are named only where several may share a database")
    func workers() throws {
        var status = WorkerStatus(
            version: "1", epoch: "", positions: [:], queue: WorkerStatus.Queue(live: 0, backfill: 0), quota: [:],
            uptime: 0)
        let alone = String(decoding: Reply.status(status).body, as: UTF8.self)
        #expect(!alone.contains("name") && !alone.contains("workers"))
        status.name = "1@a"
        status.workers = [SharingWorker(name: "1@a", silence: 2, requests: 3, isLeader: true)]
        let shared = String(decoding: Reply.status(status).body, as: UTF8.self)
        #expect(shared.contains(#""name":"1@a""#), "\(shared)")
        #expect(
            shared.contains(#""workers":[{"isLeader":true,"name":"1@a","requests":3,"silence":2}]"#), "\(shared)")
    }

    @Test(
        "a status is made anew when the queue changes and when a second has passed",
        arguments: [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)])
    func versions(_ live: Int, _ backfill: Int, _ second: Int, _ uptime: Int) async throws {
        let cache = WorkerStatusCache()
        let versions = [
            (commits: 0, live: 0, backfill: 0, second: 0, uptime: 0),
            (commits: 0, live: live, backfill: backfill, second: second, uptime: uptime),
        ]
        var made = 0
        for version in [versions[0], versions[0], versions[1], versions[1]] {
            _ = try await cache.reply(at: version) {
                made += 1
                return WorkerStatus(
                    version: "1", epoch: "", positions: [:], queue: WorkerStatus.Queue(live: live, backfill: backfill),
                    quota: [:], uptime: uptime)
            }
        }
        #expect(made == 2)
    }
}
