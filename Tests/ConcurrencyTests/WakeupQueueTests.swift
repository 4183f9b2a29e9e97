import Glibc
import TestSupport
import Testing

@testable import Concurrency

@Suite struct WakeupQueueTests {
    private struct Numbers: WakeupQueueContent {
        var numbers: [Int] = []
        var isEmpty: Bool { numbers.isEmpty }
    }

    @Test func aPostWakesASleepingReaderOnce() throws {
        let queue = try WakeupQueue(Numbers())
        #expect(queue.prepareToSleep())
        #expect(!isReadable(queue.descriptor))
        for number in [1, 2] { queue.post { $0.numbers.append(number) } }
        var count: UInt64 = 0
        #expect(read(queue.descriptor, &count, 8) == 8)
        #expect(count == 1)
    }

    @Test func aPostToAReaderThatIsAwakeCostsNoSystemCall() throws {
        let queue = try WakeupQueue(Numbers())
        #expect(queue.prepareToSleep())
        _ = queue.take(\.numbers)
        queue.post { $0.numbers.append(1) }
        #expect(!isReadable(queue.descriptor))
    }

    @Test func aReaderWithWorkDoesNotSleep() throws {
        let queue = try WakeupQueue(Numbers())
        queue.post { $0.numbers.append(1) }
        #expect(!queue.isEmpty)
        #expect(!queue.prepareToSleep())
    }

    @Test func theDescriptorIsReadableUntilCleared() throws {
        let queue = try WakeupQueue(Numbers())
        #expect(queue.prepareToSleep())
        queue.post { $0.numbers.append(1) }
        #expect(isReadable(queue.descriptor))
        queue.clearWakeup()
        #expect(!isReadable(queue.descriptor))
    }

    @Test(.patience)
    func aSleepingThreadGetsAllThatManyTasksPostInTheirOrder() async throws {
        let queue = try WakeupQueue(Numbers())
        let writers = 8
        let perWriter = 1_000
        async let received = withCheckedThrowingContinuation { continuation in
            do {
                try startThread {
                    continuation.resume(returning: Self.receive(writers * perWriter, from: queue))
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        await withTaskGroup { group in
            for writer in 0..<writers {
                group.addTask {
                    for number in 0..<perWriter {
                        queue.post { $0.numbers.append(writer * perWriter + number) }
                    }
                }
            }
        }
        let numbers = try await received
        #expect(numbers.sorted() == Array(0..<writers * perWriter))
        for writer in 0..<writers {
            let own = numbers.filter { $0 / perWriter == writer }
            #expect(own == own.sorted())
        }
    }

    /// Takes `count` numbers, and sleeps while there are none.
    private static func receive(_ count: Int, from queue: WakeupQueue<Numbers>) -> [Int] {
        var numbers: [Int] = []
        while numbers.count < count {
            numbers += queue.take { content in
                defer { content.numbers = [] }
                return content.numbers
            }
            guard numbers.count < count, queue.prepareToSleep() else { continue }
            var descriptor = pollfd(fd: queue.descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&descriptor, 1, -1) == 1 { queue.clearWakeup() }
        }
        return numbers
    }

    private func isReadable(_ descriptor: Int32) -> Bool {
        var descriptor = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) == 1
    }
}
