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
        let unread = UnreadByteAccounting()
        var queue = MessageQueue()
        for client in ["first", "second"] {
            queue.append([unread.reserve(for: Message(client, "answer"))])
        }
        _ = queue.removeFirst(atMost: 1) { _ in true }
        #expect(unread.bytes(of: Array("first".utf8)) == 0)
        #expect(unread.bytes(of: Array("second".utf8)) > 0)
    }
}
