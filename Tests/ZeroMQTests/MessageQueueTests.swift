import Testing

@testable import ZeroMQ

@Suite("Message queue")
struct MessageQueueTests {
    @Test("messages are removed in order, across bursts, up to the limit and the first that must wait")
    func order() {
        var queue = MessageQueue()
        for burst in [0..<3, 3..<3, 3..<8] { queue.append(burst.map { Message(String($0)) }[...]) }
        var left: [Int] = []
        func remove(atMost limit: Int, before end: Int = 8) -> Int {
            queue.removeFirst(atMost: limit) { message in
                guard let number = message.text(at: 0).flatMap(Int.init), number < end else { return false }
                left.append(number)
                return true
            }
        }

        #expect(remove(atMost: 2) == 2 && queue.count == 6)
        #expect(remove(atMost: 100, before: 5) == 3 && queue.count == 3)
        #expect(remove(atMost: 100, before: 5) == 0 && queue.count == 3)
        #expect(remove(atMost: 100) == 3 && queue.isEmpty)
        #expect(left == Array(0..<8))
    }

    @Test("a removed burst frees its memory, however many others wait")
    func memory() {
        let unread = ConnectionGuard.UnreadBytes()
        var queue = MessageQueue()
        let connections = (1...2).map { ConnectionID(descriptor: $0, number: 7) }
        for connection in connections {
            let answer = Message([Array("route".utf8), Array("answer".utf8)], peer: nil, connection: connection)
            queue.append([unread.reserve(for: answer)])
        }
        _ = queue.removeFirst(atMost: 1) { _ in true }
        #expect(unread.bytes(of: connections[0]) == 0)
        #expect(unread.bytes(of: connections[1]) > 0)
    }
}
