import Glibc
import Testing

@testable import Threads

@Suite struct MailboxTests {
    private struct Numbers: Mail {
        var numbers: [Int] = []
        var isEmpty: Bool { numbers.isEmpty }
    }

    @Test func mailWakesASleepingReaderOnce() throws {
        let mailbox = try Mailbox(Numbers())
        #expect(mailbox.fallAsleep())
        #expect(!isReadable(mailbox.descriptor))
        for number in [1, 2] { mailbox.post { $0.numbers.append(number) } }
        var count: UInt64 = 0
        #expect(read(mailbox.descriptor, &count, 8) == 8)
        #expect(count == 1)
    }

    @Test func mailForAReaderThatIsAwakeCostsNoSystemCall() throws {
        let mailbox = try Mailbox(Numbers())
        #expect(mailbox.fallAsleep())
        _ = mailbox.take(\.numbers)
        mailbox.post { $0.numbers.append(1) }
        #expect(!isReadable(mailbox.descriptor))
    }

    @Test func aReaderWithMailDoesNotFallAsleep() throws {
        let mailbox = try Mailbox(Numbers())
        mailbox.post { $0.numbers.append(1) }
        #expect(!mailbox.isEmpty)
        #expect(!mailbox.fallAsleep())
    }

    @Test func theDescriptorIsReadableUntilCleared() throws {
        let mailbox = try Mailbox(Numbers())
        #expect(mailbox.fallAsleep())
        mailbox.post { $0.numbers.append(1) }
        #expect(isReadable(mailbox.descriptor))
        mailbox.clear()
        #expect(!isReadable(mailbox.descriptor))
    }

    @Test(.timeLimit(.minutes(5)))
    func aSleepingThreadGetsAllThatManyTasksPostInTheirOrder() async throws {
        let mailbox = try Mailbox(Numbers())
        let writers = 8
        let perWriter = 1_000
        async let received = withCheckedThrowingContinuation { continuation in
            do {
                try startThread {
                    continuation.resume(returning: Self.receive(writers * perWriter, from: mailbox))
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        await withTaskGroup { group in
            for writer in 0..<writers {
                group.addTask {
                    for number in 0..<perWriter {
                        mailbox.post { $0.numbers.append(writer * perWriter + number) }
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

    /// Takes so many numbers, asleep whenever there are none.
    private static func receive(_ count: Int, from mailbox: Mailbox<Numbers>) -> [Int] {
        var numbers: [Int] = []
        while numbers.count < count {
            numbers += mailbox.take { mail in
                defer { mail.numbers = [] }
                return mail.numbers
            }
            guard numbers.count < count, mailbox.fallAsleep() else { continue }
            var descriptor = pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&descriptor, 1, -1) == 1 { mailbox.clear() }
        }
        return numbers
    }

    private func isReadable(_ descriptor: Int32) -> Bool {
        var descriptor = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) == 1
    }
}
