import Glibc
import ZeroMQ

/// The same as `peer.c` over our own path: batches through the I/O thread into async code.
struct Peer {
    private let io: IOThread
    private var options = SocketOptions()

    init() throws {
        io = try IOThread()
        // Nothing is dropped.
        options.sendHighWater = 10_000_000
        options.inboxBytes = 1 << 40
    }

    /// Sends once somebody has subscribed.
    func publish(_ address: String, count: Int, size: Int) async throws {
        var options = options
        options.linger = .seconds(60)  // the receiver may be slow: what was sent counts only if it arrives
        let socket = try await io.open(.publisher, bind: [address], options: options)
        let message = Message([Array("ranking.day.all.2024-06-04".utf8), [UInt8](repeating: 0, count: size)])
        await socket.waitForSubscribers(to: "ranking")
        let began = ContinuousClock.now
        let batch = [Message](repeating: message, count: 100)
        for _ in 0..<count / batch.count { await socket.send(batch) }
        print(rate(of: count, since: began))
        await socket.close()
        await io.shutdown()
    }

    /// Receives what is sent from the first message on.
    func subscribe(_ address: String, count: Int) async throws {
        let socket = try await io.open(.subscriber, connect: [address], subscriptions: [""], options: options)
        var received = 0
        var began = ContinuousClock.now
        for await batch in socket.incoming {
            if received == 0 { began = .now }
            received += batch.count
            if received >= count { break }
        }
        print(rate(of: received, since: began))
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
