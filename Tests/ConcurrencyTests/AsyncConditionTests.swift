import TestSupport
import Testing

@testable import Concurrency

@Suite(.patience) struct AsyncConditionTests {
    private let numbers = AsyncCondition<[Int]>([])

    private func waiters(atLeast count: Int) async throws {
        try await waitUntil("waiters", look: { numbers.waiterCount }, is: { $0 >= count })
    }

    @Test("a condition that is already true does not wait")
    func alreadyTrue() async {
        #expect(await numbers.wait(until: \.isEmpty))
        #expect(numbers.waiterCount == 0)
    }

    @Test("a change wakes only the tasks whose condition has become true")
    func conditions() async throws {
        async let one = numbers.wait { $0.count >= 1 }
        async let two = numbers.wait { $0.count >= 2 }
        try await waiters(atLeast: 2)
        numbers.update { $0.append(1) }
        #expect(await one)
        #expect(numbers.waiterCount == 1)
        numbers.update { $0.append(2) }
        #expect(await two)
    }

    @Test("each value goes to one task, in the order in which tasks began to wait")
    func order() async throws {
        var tasks: [Task<Int?, Never>] = []
        for count in 1...5 {
            tasks.append(Task { [numbers] in await numbers.waitForValue { $0.isEmpty ? nil : $0.removeFirst() } })
            try await waiters(atLeast: count)
        }
        numbers.update { $0 = [1, 2] }
        #expect(numbers.waiterCount == 3)
        #expect(numbers.read(\.isEmpty))
        numbers.update { $0 = [3, 4, 5, 6] }
        for (index, task) in tasks.enumerated() { #expect(await task.value == index + 1) }
        #expect(numbers.read(\.self) == [6])
    }

    @Test("when a task removes a value, an earlier task that waits for room resumes")
    func chain() async throws {
        numbers.update { $0 = [1] }
        async let put = numbers.waitForValue { $0.isEmpty ? $0.append(2) : nil }
        try await waiters(atLeast: 1)
        #expect(await numbers.waitForValue { $0.popLast() } == 1)
        #expect(await put != nil)
        #expect(numbers.read(\.self) == [2])
    }

    @Test("a task that is cancelled gets no value, removes none and does not disturb the others")
    func cancellation() async throws {
        let tasks = (1...2).map { _ in Task { [numbers] in await numbers.waitForValue { $0.popLast() } } }
        try await waiters(atLeast: 2)
        tasks[0].cancel()
        #expect(await tasks[0].value == nil)
        numbers.update { $0 = [1] }
        #expect(await tasks[1].value == 1)
    }

    @Test("a task that is already cancelled gets no value, even if there is one")
    func cancelledBefore() async {
        numbers.update { $0 = [1] }
        let task = Task { [numbers] in
            try? await Task.sleep(for: .seconds(86_400))  // until it is cancelled
            return (await numbers.waitForValue { $0.popLast() }, await numbers.wait(until: { !$0.isEmpty }))
        }
        task.cancel()
        let (value, isTrue) = await task.value
        #expect(value == nil)
        #expect(!isTrue)
        #expect(numbers.read(\.self) == [1])
    }

    @Test("a wait that ignores cancellation lasts until there is a value")
    func ignoringCancellation() async throws {
        let task = Task { [numbers] in await numbers.waitIgnoringCancellation { $0.popLast() } }
        task.cancel()
        try await waiters(atLeast: 1)
        numbers.update { $0 = [1] }
        #expect(await task.value == 1)
    }

    @Test("cancellation that races with values loses none and blocks no task")
    func races() async throws {
        var received = 0
        for round in 0..<1_000 {
            let task = Task { [numbers] in await numbers.waitForValue { $0.popLast() } }
            // From before the task runs to after it waits.
            if round % 5 > 0 { try await Task.sleep(for: .microseconds(10 * (round % 5))) }
            async let cancelled: Void = task.cancel()
            numbers.update { $0.append(round) }
            await cancelled
            if await task.value != nil { received += 1 }
        }
        #expect(received + numbers.read(\.count) == 1_000)
    }
}
