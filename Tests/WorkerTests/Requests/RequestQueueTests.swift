import BoxOffice
import Contract
import TestSupport
import Testing

@testable import Worker

@Suite(.patience) struct RequestQueueTests {
    private let queue = RequestQueue()

    private func request(_ id: String, _ priority: Request.Priority = .live) -> AcceptedRequest {
        AcceptedRequest(id: Sample.id(id), request: Request(.day(Sample.day, .all), priority: priority))
    }

    private func take(_ count: Int) async -> [String] {
        var ids: [String] = []
        for _ in 0..<count { ids.append(await queue.next()?.id.description ?? "-") }
        return ids
    }

    @Test("live requests come before backfill, each kind in the order it came")
    func order() async {
        queue.add([request("a", .backfill), request("b"), request("c", .backfill)])
        queue.add([request("d"), request("e", .backfill)])
        #expect(queue.lengths.live == 2)
        #expect(queue.lengths.backfill == 3)
        #expect(await take(5) == ["b", "d", "a", "c", "e"])
    }

    @Test("a fetcher that waited gets the live request of a batch, not the first")
    func handOver() async throws {
        async let waiting = queue.next()
        try await queue.waiters(atLeast: 1)
        queue.add([request("a", .backfill), request("b")])
        #expect(await waiting?.id == Sample.id("b"))
        #expect(await take(1) == ["a"])
    }

    @Test("a closed queue returns nothing to present and later fetchers")
    func close() async throws {
        async let waiting = queue.next()
        try await queue.waiters(atLeast: 1)
        queue.close()
        queue.add([request("a")])
        #expect(await waiting == nil)
        #expect(await queue.next() == nil)
    }

    @Test("a cancelled fetcher gets no request and takes none from the others")
    func cancel() async throws {
        let (first, second) = (Task { await queue.next() }, Task { await queue.next() })
        try await queue.waiters(atLeast: 2)
        first.cancel()
        #expect(await first.value == nil)
        queue.add([request("a")])
        #expect(await second.value?.id == Sample.id("a"))
        let late = Task {
            try? await Task.sleep(for: .seconds(86_400))  // until it is cancelled
            return await queue.next()
        }
        late.cancel()
        #expect(await late.value == nil)
    }
}

extension RequestQueue {
    /// Returns once `count` fetchers wait for a request.
    func waiters(atLeast count: Int) async throws {
        try await waitUntil("fetchers that wait", look: { waiterCount }, is: { $0 >= count })
    }
}
