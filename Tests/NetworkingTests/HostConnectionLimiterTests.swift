import Testing

@testable import Networking

struct HostConnectionLimiterTests {
    @Test("A host's transfers start in order of arrival, up to its limit")
    func perHost() {
        let limiter = LimiterBox(HTTPClient.Limits(perHost: 2, total: 10, queueLength: 10))
        limiter.enqueue([1, 2, 3, 4], host: "a")
        #expect(limiter.started() == [1, 2])
        limiter.remove(1)
        #expect(limiter.started() == [3])
    }

    @Test("A host at its limit does not delay another")
    func hosts() {
        let limiter = LimiterBox(HTTPClient.Limits(perHost: 1, total: 2, queueLength: 10))
        limiter.enqueue([1, 2], host: "a")
        limiter.enqueue([3], host: "b")
        limiter.enqueue([4], host: "c")
        #expect(limiter.started() == [1, 3])
        limiter.remove(3)
        #expect(limiter.started() == [4])
        limiter.remove(1)
        #expect(limiter.started() == [2])
    }

    @Test("A queue of length zero accepts transfers that can start at once")
    func noQueue() {
        let limiter = LimiterBox(HTTPClient.Limits(perHost: 1, total: 2, queueLength: 0))
        #expect(limiter.enqueue([1], host: "a") == [true])
        #expect(limiter.started() == [1])
        #expect(limiter.enqueue([2], host: "a") == [false])
        #expect(limiter.enqueue([3], host: "b") == [true])
        #expect(limiter.started() == [3])
        #expect(limiter.enqueue([4], host: "c") == [false])
    }

    @Test("A removed transfer does not start, and makes room for another")
    func leaving() {
        let limiter = LimiterBox(HTTPClient.Limits(perHost: 1, total: 1, queueLength: 2))
        limiter.enqueue([1], host: "a")
        #expect(limiter.started() == [1])
        #expect(limiter.enqueue([2, 3, 4], host: "a") == [true, true, false])
        limiter.remove(2)
        limiter.remove(2)
        #expect(limiter.waitingCount == 1)
        #expect(limiter.enqueue([5], host: "b") == [true])
        limiter.remove(1)
        #expect(limiter.started() == [3])
        limiter.remove(3)
        #expect(limiter.started() == [5])
        limiter.remove(5)
        #expect(limiter.started().isEmpty)
        #expect(limiter.waitingCount == 0)
    }
}

/// The limiter as a class: `#expect` cannot call a mutating method.
private final class LimiterBox {
    private var limiter: HostConnectionLimiter

    init(_ limits: HTTPClient.Limits) {
        limiter = HostConnectionLimiter(limits)
    }

    var waitingCount: Int { limiter.waitingCount }

    /// Enqueues transfers and returns which of them were accepted.
    @discardableResult
    func enqueue(_ ids: [UInt64], host: String) -> [Bool] {
        ids.map { limiter.enqueue($0, host: host) }
    }

    /// Starts and returns all transfers that can start now.
    func started() -> [UInt64] {
        var ids: [UInt64] = []
        while let id = limiter.startNext() { ids.append(id) }
        return ids
    }

    func remove(_ id: UInt64) {
        limiter.remove(id)
    }
}
