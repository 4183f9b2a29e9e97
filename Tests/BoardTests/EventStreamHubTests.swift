import Testing

@testable import Board

@Suite struct EventStreamHubTests {
    private func updates(_ ids: ClosedRange<Int>) -> [LiveUpdate] {
        ids.map { LiveUpdate(id: $0, kind: .chart, data: Array("{\"n\":\($0)}".utf8)) }
    }

    @Test("a new browser gets the newest id, and no old updates")
    func first() {
        let hub = EventStreamHub(epoch: "e", recent: updates(1...3))
        #expect(hub.events(after: nil) == ["e-3 hello"])
    }

    @Test(
        "a browser that reconnects gets exactly the updates that it missed",
        arguments: [(0, ["e-1", "e-2", "e-3"]), (2, ["e-3"]), (3, [])])
    func missed(after number: Int, ids: [String]) {
        let hub = EventStreamHub(epoch: "e", recent: updates(1...3))
        #expect(hub.events(after: "e-\(number)") == ids.map { "\($0) chart" } + ["e-3 hello"])
    }

    @Test(
        "a browser that reconnects with an id of another database, or one that is too old, gets a reset",
        arguments: ["other-2", "e-9", "e-2", "e-x", "", "e", "e-2-3", "e--1"])
    func reset(id: String) {
        let hub = EventStreamHub(epoch: "e", recent: updates(5...6))
        #expect(hub.events(after: id) == ["e-6 reset"])
    }

    @Test("the id before the oldest kept update is recent enough")
    func edge() {
        let hub = EventStreamHub(epoch: "e", recent: updates(5...6))
        #expect(hub.events(after: "e-4") == ["e-5 chart", "e-6 chart", "e-6 hello"])
    }

    @Test("published updates are kept up to a limit; the oldest are dropped")
    func later() {
        let hub = EventStreamHub(epoch: "e", recent: [])
        hub.publish(updates(1...LiveUpdate.limit))
        hub.publish(updates(LiveUpdate.limit + 1...LiveUpdate.limit + 1))
        #expect(hub.events(after: "e-0") == ["e-\(LiveUpdate.limit + 1) reset"])
        #expect(hub.events(after: "e-1").count == LiveUpdate.limit + 1)
        #expect(hub.sentCount == LiveUpdate.limit + 1)
    }

    private func update(_ id: Int, ofBytes count: Int) -> LiveUpdate {
        LiveUpdate(id: id, kind: .alert, data: [UInt8](repeating: 0x20, count: count))
    }

    @Test("a browser that missed more than a connection buffers gets a reset", arguments: [true, false])
    func large(isPublished: Bool) {
        let long = (1...20).map { update($0, ofBytes: 32 << 10) }
        let hub = EventStreamHub(epoch: "e", recent: isPublished ? [] : long)
        if isPublished { for update in long { hub.publish([update]) } }
        #expect(hub.events(after: "e-2") == ["e-20 reset"])
        #expect(hub.events(after: "e-10").count == 11)
        hub.publish([update(21, ofBytes: 1 << 20)])
        #expect(hub.events(after: "e-20") == ["e-21 reset"])
        #expect(hub.events(after: "e-21") == ["e-21 hello"])
    }

    @Test("a browser that reads nothing is disconnected before it holds more than a megabyte")
    func silent() {
        let hub = EventStreamHub(epoch: "e", recent: [])
        let body = hub.connect(after: nil)
        hub.publish([update(1, ofBytes: 900 << 10)])
        #expect(hub.clientCount == 1)
        hub.publish([update(2, ofBytes: 200 << 10)])
        #expect(hub.clientCount == 0)
        withExtendedLifetime(body) {}
    }

    @Test("the pages of one browser count once, and a page whose browser has no id counts as a browser")
    func browsers() throws {
        let hub = EventStreamHub(epoch: "e", recent: [])
        let (one, other) = (try #require(BrowserID("0a1b2c")), try #require(BrowserID("ffffff")))
        let pages = [one, one, other, one, nil, nil].map { hub.connect(after: nil, browser: $0) }
        #expect(hub.clientCount == 6 && hub.browserCount == 4)
        withExtendedLifetime(pages) {}
    }

    @Test("a browser's id is short and plain", arguments: ["", "a_b", "a b", "é", String(repeating: "a", count: 37)])
    func browserIDs(text: String) {
        #expect(BrowserID(text) == nil)
    }

    @Test("a closed hub accepts no browsers")
    func closed() {
        let hub = EventStreamHub(epoch: "e", recent: [])
        #expect(hub.connect(after: nil) != nil)
        hub.close()
        #expect(hub.connect(after: nil) == nil)
        #expect(hub.clientCount == 0)
    }
}

extension EventStreamHub {
    /// Ids and names of the events that a browser gets first if it connects with this id.
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
