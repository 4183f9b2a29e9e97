import TestSupport
import Testing

@testable import Concurrency

@Suite(.patience) struct AsyncSemaphoreTests {
    private struct Refused: Error {}

    private func waiters(atLeast count: Int, of semaphore: AsyncSemaphore) async throws {
        try await waitUntil("waiters", look: { semaphore.waiterCount }, is: { $0 >= count })
    }

    @Test("no more tasks run at a time than there are permits, and all of them run")
    func limit() async {
        let semaphore = AsyncSemaphore(permits: 3)
        let running = Locked((now: 0, most: 0))
        await withTaskGroup { tasks in
            for _ in 0..<50 {
                tasks.addTask {
                    await semaphore.withPermit {
                        running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                        try? await Task.sleep(for: .milliseconds(1))
                        running.withLock { $0.now -= 1 }
                    }
                }
            }
        }
        #expect(running.withLock { $0.most } <= 3)
        #expect(running.withLock { $0.now } == 0)
    }

    @Test("with one permit, tasks run one after another in the order of their calls")
    func order() async throws {
        let semaphore = AsyncSemaphore(permits: 1)
        let gate = AsyncCondition(false)
        let order = Locked<[Int]>([])
        try await withThrowingTaskGroup { tasks in
            for number in 0..<5 {
                tasks.addTask {
                    await semaphore.withPermit {
                        _ = await gate.wait { $0 }
                        order.withLock { $0.append(number) }
                    }
                }
                if number == 0 {
                    try await waitUntil("the first has its permit") { gate.waiterCount == 1 }
                } else {
                    try await waiters(atLeast: number, of: semaphore)
                }
            }
            gate.update { $0 = true }
        }
        #expect(order.withLock { $0 } == [0, 1, 2, 3, 4])
    }

    @Test("a permit is returned when the body throws")
    func errors() async throws {
        let semaphore = AsyncSemaphore(permits: 1)
        for _ in 0..<2 {
            await #expect(throws: Refused.self) { try await semaphore.withPermit { throw Refused() } }
        }
        #expect(await semaphore.withPermit { 1 } == 1)
    }

    @Test("a task that is cancelled while it waits still gets a permit, and its body sees the cancellation")
    func cancellation() async throws {
        let semaphore = AsyncSemaphore(permits: 1)
        let gate = AsyncCondition(false)
        let holder = Task { await semaphore.withPermit { _ = await gate.wait { $0 } } }
        try await waitUntil("the holder has its permit") { gate.waiterCount == 1 }
        let cancelled = Task { await semaphore.withPermit { Task.isCancelled } }
        try await waiters(atLeast: 1, of: semaphore)
        cancelled.cancel()
        #expect(semaphore.waiterCount == 1)
        gate.update { $0 = true }
        await holder.value
        #expect(await cancelled.value)
        #expect(semaphore.waiterCount == 0)
    }
}
