import BoxOffice
import Concurrency
import Contract
import EventStore
import FoundationEssentials
import Messaging
import Storage
import ZeroMQ

/// How fast events become durable and reach a subscriber, beside bare commits of the same size.
struct DurablePublishing {
    let folder: String
    private let writers = 64
    private let count = 40_000
    private let size = 1_200
    /// Events a second of the steady load, which lasts four seconds.
    private let offered = 5_000

    func run() async throws {
        let database = try Database(
            path: "\(folder)/log.db", schema: Schema("test", version: 1, EventLog.tables + Self.bare))
        let log = try await database.read { try EventLog(source: "/marquee/benchmark", in: $0) }
        let io = try IOThread()
        let events = try await io.open(.publisher, bind: ["tcp://127.0.0.1:*"])
        let publisher = Publisher(events, of: log, positions: [:])
        let subscriber = try await io.open(.subscriber, connect: events.addresses, subscriptions: ["movie."])
        await events.waitForSubscription()

        try await alone(database)
        try await grouped(database)
        let write: @Sendable (Int) async throws -> Void = { [text] number in
            let draft = try EventDraft(.movie(code(number)), encoding: Filler(number: number, text: text))
            try await database.write { connection in
                let logged = try log.append([draft], at: Date(), in: connection)
                connection.afterCommit { publisher.publish(logged) }
            }
        }
        try await measure("durable publishing to a subscriber, \(writers) writers", count, subscriber) { latencies in
            try await load { number in
                latencies.requested(number)
                try await write(number)
            }
        }
        try await measure("durable publishing at a steady \(offered)", offered * 4, subscriber) { latencies in
            try await offer(latencies, write)
        }
        await io.shutdown()
        await database.close()
    }

    /// Measures how long `count` events that `publish` sends take to the subscriber.
    private func measure(
        _ name: String, _ count: Int, _ subscriber: Socket, publish: (Latencies) async throws -> Void
    ) async throws {
        let latencies = Latencies(count: count)
        let receiving = Task {
            var received = 0
            for await batch in subscriber.incoming {
                let now = ContinuousClock.now
                for message in batch { latencies.received(message, at: now) }
                received += batch.count
                if received >= count { break }
            }
        }
        let began = ContinuousClock.now
        try await publish(latencies)
        await receiving.value
        latencies.report(name, rate: rate(of: count, since: began))
    }

    /// Sends events when they are due, whether or not those before them are through; what waits in line counts as late.
    private func offer(
        _ latencies: Latencies, _ write: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let began = ContinuousClock.now
        try await withThrowingDiscardingTaskGroup { tasks in
            for number in 0..<offered * 4 {
                let due = began + .seconds(1) * number / offered
                if .now < due { try await Task.sleep(until: due, clock: .continuous) }
                latencies.requested(number, at: due)
                tasks.addTask { try await write(number) }
            }
        }
    }

    private static let bare = "create table bare (body blob not null) strict;"

    /// One writer that waits for each commit.
    private func alone(_ database: Database) async throws {
        let body = [UInt8](repeating: 7, count: size)
        let began = ContinuousClock.now
        for _ in 0..<2_000 { try await database.write { try $0.execute("insert into bare values (?)", body) } }
        print("bare commits of the same size, one writer:".padded, rate(of: 2_000, since: began), "a second")
    }

    /// As many writers as the events have.
    private func grouped(_ database: Database) async throws {
        let body = [UInt8](repeating: 7, count: size)
        let began = ContinuousClock.now
        try await load { _ in
            try await database.write { try $0.execute("insert into bare values (?)", body) }
        }
        print("bare commits of the same size, \(writers) writers:".padded, rate(of: count, since: began), "a second")
    }

    private func load(_ work: @escaping @Sendable (Int) async throws -> Void) async throws {
        try await withThrowingTaskGroup { tasks in
            for writer in 0..<writers {
                tasks.addTask { [count, writers] in
                    for number in stride(from: writer, to: count, by: writers) { try await work(number) }
                }
            }
            try await tasks.waitForAll()
        }
    }

    private var text: String { String(repeating: "x", count: size - 400) }

    private struct Filler: Encodable {
        let number: Int
        let text: String
    }
}

/// A movie code that tells a number.
func code(_ number: Int) throws -> MovieCode {
    let digits = String(10_000_000 + number)
    guard let code = MovieCode(digits) else { fatalError("\(digits) is no movie code") }
    return code
}

extension String {
    var padded: String {
        self + String(repeating: " ", count: max(0, 60 - count))
    }
}
