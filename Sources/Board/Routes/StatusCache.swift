import Contract
import JSONCoding
import Messaging
import ZeroMQ

/// The answers of worker and notifier to `status`, requested at most once a second for all visitors together.
actor StatusCache {
    private let io: IOThread
    private let processes: [(source: ReadModel.Source, addresses: [String])]
    private let clock = ContinuousClock()
    private var cached: (task: Task<[Answer], Never>, startedAt: ContinuousClock.Instant)?

    /// A process's name, and its answer; nil if it does not answer.
    private typealias Answer = (name: String, status: [UInt8]?)

    /// Makes a cache.
    ///
    /// - Parameters:
    ///   - worker: The worker's command addresses.
    ///   - notifier: The notifier's command addresses.
    init(_ io: IOThread, worker: [String], notifier: [String]) {
        self.io = io
        processes = [(.worker, worker), (.notifier, notifier)]
    }

    /// Returns the answers of both as one JSON object, with null for a process that does not answer.
    func statuses() async -> [UInt8] {
        JSONObject(await answers().map { ($0.name, JSONObject.orNull($0.status)) }).bytes
    }

    /// Returns what every visitor may know as one JSON object: how long each process has run, and null for one that does not
    /// answer.
    func publicStatuses() async -> [UInt8] {
        JSONObject(
            await answers().map { name, status in
                let known = status.flatMap { try? JSON.decode(PublicStatus.self, from: $0) }
                // Encoding cannot fail: the object has only a number.
                return (name, JSONObject.orNull(known.flatMap { try? JSON.encode($0) }))
            }
        ).bytes
    }

    private func answers() async -> [Answer] {
        if let cached, clock.now < cached.startedAt + .seconds(1) { return await cached.task.value }
        let task = Task { [io, processes] in
            await withTaskGroup(of: Answer.self) { tasks in
                for (source, addresses) in processes {
                    // The page only says that a process does not answer, whatever the error is.
                    tasks.addTask { (source.rawValue, try? await Self.requestStatus(io, addresses)) }
                }
                var answers: [Answer] = []
                for await answer in tasks { answers.append(answer) }
                return answers.sorted { $0.name > $1.name }
            }
        }
        cached = (task, clock.now)
        return await task.value
    }

    private static func requestStatus(_ io: IOThread, _ addresses: [String]) async throws -> [UInt8]? {
        let client = try await CommandClient(io, addresses: addresses)
        // Each host is asked a second after the one before it.
        let reply = try? await client.ask("status", within: .seconds(1 + addresses.count))
        await client.close()
        return reply?.word == "status" ? reply?.body : nil
    }
}

/// The part of a process's status that every visitor may know.
private struct PublicStatus: Codable {
    let uptime: Int?
}
