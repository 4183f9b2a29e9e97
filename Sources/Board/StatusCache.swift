import Contract
import JSONCoding
import Messaging
import ZeroMQ

/// The answers of worker and notifier to `status`, requested at most once a second for all visitors together.
actor StatusCache {
    private let io: IOThread
    private let worker: [String]
    private let notifier: [String]
    private let clock = ContinuousClock()
    private var cached: (task: Task<[Answer], Never>, startedAt: ContinuousClock.Instant)?

    /// A process's name, and its answer; nil if it does not answer.
    private typealias Answer = (name: String, status: [UInt8]?)

    init(_ io: IOThread, worker: [String], notifier: [String]) {
        self.io = io
        self.worker = worker
        self.notifier = notifier
    }

    /// Returns the answers of both as one JSON object, with null for a process that does not answer.
    func statuses() async -> [UInt8] {
        JSONObject(await answers().map { ($0.name, JSONObject.orNull($0.status)) }).bytes
    }

    /// Returns what every visitor may know in the same way: how long each process has run.
    func publicStatuses() async -> [UInt8] {
        JSONObject(
            await answers().map { name, status in
                let known = status.flatMap { try? JSON.decode(PublicStatus.self, from: $0) }
                return (name, JSONObject.orNull(known.map(JSON.encodeInfallibly)))
            }
        ).bytes
    }

    private func answers() async -> [Answer] {
        if let cached, clock.now < cached.startedAt + .seconds(1) { return await cached.task.value }
        let task = Task { [io, worker, notifier] in
            async let ofWorker = Self.requestStatus(io, worker)
            async let ofNotifier = Self.requestStatus(io, notifier)
            return [
                Answer(ReadModel.Source.worker.rawValue, await ofWorker),
                Answer(ReadModel.Source.notifier.rawValue, await ofNotifier),
            ]
        }
        cached = (task, clock.now)
        return await task.value
    }

    private static func requestStatus(_ io: IOThread, _ addresses: [String]) async -> [UInt8]? {
        // The page only says that a process does not answer, whatever the error is.
        guard let client = try? await CommandClient(io, addresses: addresses) else { return nil }
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
