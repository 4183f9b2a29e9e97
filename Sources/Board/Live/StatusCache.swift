import Concurrency
import Contract
import Messaging
import ZeroMQ

/// Asks worker and notifier how they are, at most once a second however many visitors want to know.
actor StatusCache {
    private let io: IOThread
    private let addresses: [(source: ReadModel.Source, address: String)]
    private let clock: ContinuousClock
    private var answer: (task: Task<[UInt8], Never>, asked: ContinuousClock.Instant)?

    init(_ io: IOThread, worker: String, notifier: String) {
        self.io = io
        addresses = [(.worker, worker), (.notifier, notifier)]
        clock = ContinuousClock()
    }

    /// The answers of both as one JSON object, null for one that does not answer.
    func statuses() async -> [UInt8] {
        if let answer, clock.now < answer.asked + .seconds(1) { return await answer.task.value }
        let task = Task { [io, addresses] in
            await withTaskGroup(of: (String, [UInt8]?).self) { tasks in
                for (source, address) in addresses {
                    // Whatever the reason is, the page says that it does not answer.
                    tasks.addTask { (source.rawValue, try? await Self.ask(io, address)) }
                }
                var members: [(name: String, value: [UInt8])] = []
                for await (name, status) in tasks { members.append((name, JSONObject.orNull(status))) }
                return JSONObject(members.sorted { $0.name > $1.name }).bytes
            }
        }
        answer = (task, clock.now)
        return await task.value
    }

    private static func ask(_ io: IOThread, _ address: String) async throws -> [UInt8]? {
        let client = try await CommandClient(io, address: address)
        let reply = try? await withDeadline(.seconds(2), orThrow: ResponseTimeoutError(address: address)) {
            try await client.ask("status")
        }
        await client.close()
        return reply?.word == "status" ? reply?.body : nil
    }
}
