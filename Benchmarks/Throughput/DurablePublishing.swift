import BoxOffice
import Events
import FoundationEssentials
import Locking
import SQLite
import ZeroMQ

/// How fast events become durable and reach a subscriber, beside bare commits of the same size.
struct DurablePublishing {
    let folder: String
    private let writers = 64
    private let count = 40_000
    private let size = 1_200

    func run() async throws {
        let database = try Database(path: "\(folder)/log.db", schema: Schema(EventLog.schema, Self.bare))
        let log = try await database.read { try EventLog(source: "/marquee/benchmark", in: $0) }
        let io = try IOThread()
        let events = try await io.open(.publisher, bind: ["tcp://127.0.0.1:*"])
        let publisher = Publisher(events, of: log, positions: [:])
        let subscriber = try await io.open(.subscriber, connect: events.addresses, subscriptions: ["movie."])
        await events.waitForSubscribers(to: "movie.")

        try await alone(database)
        try await grouped(database)
        let latencies = Latencies(count: count)
        let receiving = Task { [count] in
            var received = 0
            for await batch in subscriber.incoming {
                let now = ContinuousClock.now
                for message in batch { latencies.received(message, at: now) }
                received += batch.count
                if received >= count { break }
            }
        }
        let began = ContinuousClock.now
        try await load { number in
            let draft = try EventDraft(.movie(code(number)), encoding: Filler(number: number, text: text))
            latencies.requested(number)
            try await database.write { connection in
                let logged = try log.append([draft], at: Date(), in: connection)
                connection.afterCommit { publisher.publish(logged) }
            }
        }
        await receiving.value
        latencies.report("durable publishing to a subscriber, \(writers) writers", rate: rate(of: count, since: began))
        await io.shutdown()
        await database.close()
    }

    private static let bare = Schema.Component("bare", migrations: ["create table bare (body blob not null) strict;"])

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
