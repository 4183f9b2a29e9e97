import Testing

@testable import Networking

struct HostConnectionLimiterTests {
    @Test("A host's places are given in order of arrival, and none beyond its limit")
    func perHost() {
        let places = Queue(HTTPClient.Limits(perHost: 2, total: 10, waiting: 10))
        places.enter([1, 2, 3, 4], host: "a")
        #expect(places.given() == [1, 2])
        places.leave(1)
        #expect(places.given() == [3])
    }

    @Test("A full host does not hold up another")
    func hosts() {
        let places = Queue(HTTPClient.Limits(perHost: 1, total: 2, waiting: 10))
        places.enter([1, 2], host: "a")
        places.enter([3], host: "b")
        places.enter([4], host: "c")
        #expect(places.given() == [1, 3])
        places.leave(3)
        #expect(places.given() == [4])
        places.leave(1)
        #expect(places.given() == [2])
    }

    @Test("A queue of no length takes who can go at once")
    func noQueue() {
        let places = Queue(HTTPClient.Limits(perHost: 1, total: 2, waiting: 0))
        #expect(places.enter([1], host: "a") == [true])
        #expect(places.given() == [1])
        #expect(places.enter([2], host: "a") == [false])
        #expect(places.enter([3], host: "b") == [true])
        #expect(places.given() == [3])
        #expect(places.enter([4], host: "c") == [false])
    }

    @Test("Who leaves the queue is not called, and leaves room for another")
    func leaving() {
        let places = Queue(HTTPClient.Limits(perHost: 1, total: 1, waiting: 2))
        places.enter([1], host: "a")
        #expect(places.given() == [1])
        #expect(places.enter([2, 3, 4], host: "a") == [true, true, false])
        places.leave(2)
        places.leave(2)
        #expect(places.waiting == 1)
        #expect(places.enter([5], host: "b") == [true])
        places.leave(1)
        #expect(places.given() == [3])
        places.leave(3)
        #expect(places.given() == [5])
        places.leave(5)
        #expect(places.given().isEmpty)
        #expect(places.waiting == 0)
    }
}

/// Places by reference: a macro can not call what mutates.
private final class Queue {
    private var places: HostConnectionLimiter

    init(_ limits: HTTPClient.Limits) {
        places = HostConnectionLimiter(limits)
    }

    var waiting: Int { places.waiting }

    /// Puts requests in the queue, and tells which of them it took.
    @discardableResult
    func enter(_ ids: [UInt64], host: String) -> [Bool] {
        ids.map { places.enter($0, host: host) }
    }

    /// Everybody who may go now.
    func given() -> [UInt64] {
        var ids: [UInt64] = []
        while let id = places.next() { ids.append(id) }
        return ids
    }

    func leave(_ id: UInt64) {
        places.leave(id)
    }
}
