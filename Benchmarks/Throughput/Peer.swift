import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import Messaging
import Storage
import ZeroMQ

/// The same as `peer.c` over our own path: what a process publishes of its log, and what a client gets of it.
struct Peer {
    private let io: IOThread
    private var options = SocketOptions()

    init() throws {
        let environment = ProcessInfo.processInfo.environment
        io = try IOThread(encryption: environment["CURVE_SECRET"].flatMap(Self.encryption))
        // Nothing is dropped: the peers have no limit either.
        options.sendHighWater = 10_000_000
        options.receiveQueueBytes = 1 << 40
        options.sendQueueLimit = 10_000_000
        // Nor is anybody asked whether he is still there: a connection that is closed with such an answer unread is reset, and
        // what its subscriber had not read is gone.
        options.heartbeat = .seconds(100)
    }

    /// Everybody has the same key pair, and may do everything.
    private static func encryption(_ secret: String) -> Encryption? {
        KeyPair(secret: secret).map { keys in
            Encryption(
                client: Encryption.Client(keys: keys, server: keys.publicKey),
                server: Encryption.Server(keys: keys) { _, _ in .admitted(name: "peer") })
        }
    }

    /// Publishes events of a log, a commit's worth at a time, once so many have subscribed.
    func publish(_ address: String, count: Int, size: Int, subscribers: Int, folder: String) async throws {
        let (log, events) = try await logged(count: 1_000, size: size, in: folder)
        var options = options
        options.linger = .seconds(60)
        let socket = try await io.open(.publisher, bind: [address], options: options)
        let publisher = Publisher(socket, of: log, positions: [:])
        await socket.waitForSubscription(after: subscribers - 1)
        let began = ContinuousClock.now
        for first in stride(from: 0, to: count, by: 100) {
            let place = first % events.count
            publisher.publish(Array(events[place..<min(place + 100, place + count - first)]))
        }
        print(rate(of: count, since: began))
        await socket.close()
        await io.shutdown()
    }

    /// Events with bodies of one size, as they are read from the log.
    private func logged(count: Int, size: Int, in folder: String) async throws -> (EventLog, [LoggedEvent]) {
        let path = "\(folder)/fanout-\(UUID()).db"
        let database = try Database(path: path, schema: Schema("test", version: 1, EventLog.tables))
        let log = try await database.read { try EventLog(source: "/marquee/benchmark", in: $0) }
        let events = try await database.write { connection in
            let drafts = try (0..<count).map { number in
                try EventDraft(.ranking(day: .firstChart + number, market: .all), encoding: "")
            }
            _ = try log.append(drafts, at: Date(), in: connection)
            // No envelope is as small as the smallest size: the sender does not look inside.
            try connection.execute("update event set body = ?", [UInt8](repeating: 120, count: size))
            var events: [LoggedEvent] = []
            var page: EventLog.Page
            repeat {  // a page holds no more than some megabytes
                let last = events.last?.sequence ?? .zero
                page = try log.events(of: .ranking, after: last, limit: count, in: connection)
                events += page.events
            } while page.more
            return events
        }
        await database.close()
        return (log, events)
    }

    /// Reads events by a subscription that checks and repairs, until it has had so many.
    func read(_ address: String, count: Int) async throws {
        let subscription = try await Subscription(
            io, events: [address], commands: ["inproc://nobody"], prefixes: ["ranking."], from: nil,
            options: options)
        var received = 0
        var began = ContinuousClock.now
        let end = try await subscription.readBatches { batch in
            if received == 0 { began = .now }
            received += batch.items.count { if case .event = $0 { true } else { false } }
            return received >= count ? received : nil
        }
        print(rate(of: end ?? 0, since: began))
        await subscription.close()
        await io.shutdown()
    }
}

/// How many a second.
func rate(of count: Int, since began: ContinuousClock.Instant) -> Int {
    Int(Double(count) / (ContinuousClock.now - began).seconds)
}

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
