import Concurrency
import Contract
import Messaging
import ZeroMQ

/// The answers of worker and notifier to `status`, requested at most once a second for all visitors together.
actor StatusCache {
    private let io: IOThread
    private let addresses: [(source: ReadModel.Source, address: String)]
    private let clock = ContinuousClock()
    private var cached: (task: Task<[UInt8], Never>, startedAt: ContinuousClock.Instant)?

    /// Makes a cache.
    ///
    /// - Parameters:
    ///   - worker: The worker's command address.
    ///   - notifier: The notifier's command address.
    init(_ io: IOThread, worker: String, notifier: String) {
        self.io = io
        addresses = [(.worker, worker), (.notifier, notifier)]
    }

    /// Returns the answers of both as one JSON object, with null for a process that does not answer.
    func statuses() async -> [UInt8] {
        if let cached, clock.now < cached.startedAt + .seconds(1) { return await cached.task.value }
        let task = Task { [io, addresses] in
            await withTaskGroup(of: (String, [UInt8]?).self) { tasks in
                for (source, address) in addresses {
                    // The page only says that a process does not answer, whatever the error is.
                    tasks.addTask { (source.rawValue, try? await Self.requestStatus(io, address)) }
                }
                var members: [(name: String, value: [UInt8])] = []
                for await (name, status) in tasks { members.append((name, JSONObject.orNull(status))) }
                return JSONObject(members.sorted { $0.name > $1.name }).bytes
            }
        }
        cached = (task, clock.now)
        return await task.value
    }

    private static func requestStatus(_ io: IOThread, _ address: String) async throws -> [UInt8]? {
        let client = try await CommandClient(io, address: address)
        let reply = try? await withDeadline(.seconds(2), orThrow: ResponseTimeoutError(address: address)) {
            try await client.ask("status")
        }
        await client.close()
        return reply?.word == "status" ? reply?.body : nil
    }
}
