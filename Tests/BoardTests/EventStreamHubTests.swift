import Testing

@testable import Board

@Suite struct EventStreamHubTests {
    private func news(_ ids: ClosedRange<Int>) -> [LiveUpdate] {
        ids.map { LiveUpdate(id: $0, kind: .chart, data: Array("{\"n\":\($0)}".utf8)) }
    }

    @Test("who comes for the first time is told where the news are, and gets none of the old")
    func first() {
        let hub = EventStreamHub(epoch: "e", recent: news(1...3))
        #expect(hub.events(after: nil) == ["e-3 hello"])
    }

    @Test(
        "who comes back gets exactly what was missed", arguments: [(0, ["e-1", "e-2", "e-3"]), (2, ["e-3"]), (3, [])])
    func missed(after number: Int, ids: [String]) {
        let hub = EventStreamHub(epoch: "e", recent: news(1...3))
        #expect(hub.events(after: "e-\(number)") == ids.map { "\($0) chart" } + ["e-3 hello"])
    }

    @Test(
        "who comes back from another read model, or after too long, is told to load everything anew",
        arguments: ["other-2", "e-9", "e-2", "e-x", "", "e", "e-2-3", "e--1"])
    func reset(id: String) {
        let hub = EventStreamHub(epoch: "e", recent: news(5...6))
        #expect(hub.events(after: id) == ["e-6 reset"])
    }

    @Test("the last kept news is enough to go on from")
    func edge() {
        let hub = EventStreamHub(epoch: "e", recent: news(5...6))
        #expect(hub.events(after: "e-4") == ["e-5 chart", "e-6 chart", "e-6 hello"])
    }

    @Test("news published later are kept, the oldest of them forgotten")
    func later() {
        let hub = EventStreamHub(epoch: "e", recent: [])
        hub.publish(news(1...LiveUpdate.limit))
        hub.publish(news(LiveUpdate.limit + 1...LiveUpdate.limit + 1))
        #expect(hub.events(after: "e-0") == ["e-\(LiveUpdate.limit + 1) reset"])
        #expect(hub.events(after: "e-1").count == LiveUpdate.limit + 1)
        #expect(hub.sent == LiveUpdate.limit + 1)
    }

    @Test("who missed more than a connection holds is told to load everything anew, too")
    func large() {
        let long = (1...20).map { LiveUpdate(id: $0, kind: .alert, data: [UInt8](repeating: 0x20, count: 32 << 10)) }
        let hub = EventStreamHub(epoch: "e", recent: long)
        #expect(hub.events(after: "e-2") == ["e-20 reset"])
        #expect(hub.events(after: "e-10").count == 11)
    }

    @Test("a closed hub lets nobody watch")
    func closed() {
        let hub = EventStreamHub(epoch: "e", recent: [])
        #expect(hub.watch(after: nil) != nil)
        hub.close()
        #expect(hub.watch(after: nil) == nil)
        #expect(hub.count == 0)
    }
}

extension EventStreamHub {
    /// The ids and names of what somebody is sent who comes with this id.
    fileprivate func events(after id: String?) -> [String] {
        let text = String(decoding: greeting(after: id), as: UTF8.self)
        return text.split(separator: "\n\n").compactMap { event in
            let lines = event.split(separator: "\n")
            guard let id = lines.first(where: { $0.hasPrefix("id: ") }),
                let name = lines.first(where: { $0.hasPrefix("event: ") })
            else { return nil }
            return "\(id.dropFirst(4)) \(name.dropFirst(7))"
        }
    }
}
