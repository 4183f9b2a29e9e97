import Concurrency
public import Contract
public import ZeroMQ

/// Sends commands to a process and waits for the replies.
///
/// A reply does not name its command. Each socket therefore has one command at a time and is reused only after the reply;
/// a late reply to an abandoned command is discarded with its socket.
public actor CommandClient {
    /// How long a command waits for a reply before the next host gets it, too.
    private static let patience = Duration.seconds(1)

    private let io: IOThread
    /// The addresses, first the one that has replied last.
    private var addresses: [String]
    private let clock: any Clock<Duration>
    private var idle: Socket?

    /// Connects to the process that listens on the first address, which need not run yet.
    /// Further addresses are those of processes that share its database. Each gets a command, with the same bytes, that the
    /// ones before it leave unanswered; the first reply counts.
    public init(
        _ io: IOThread, addresses: [String], clock: any Clock<Duration> = ContinuousClock()
    ) async throws(ZeroMQError) {
        self.io = io
        self.addresses = addresses
        self.clock = clock
        idle = try await Self.connect(io, addresses[0])
    }

    /// The address that has replied last; before the first reply, the one that is asked first.
    public var address: String { addresses[0] }

    /// Sends a command and waits for the reply; throws a `ResponseTimeoutError` after the limit or if the I/O thread is shut
    /// down first.
    public func ask(
        _ name: String, _ body: String = "{}", attaching frames: [[UInt8]] = [], within limit: Duration
    ) async throws -> Reply {
        let error = ResponseTimeoutError(addresses)
        return try await withDeadline(limit, orThrow: error, clock: clock) {
            try await self.ask(name, body, attaching: frames)
        }
    }

    /// Sends a command and waits for the reply, without a time limit.
    public func ask(_ name: String, _ body: String = "{}", attaching frames: [[UInt8]] = []) async throws -> Reply {
        // With an empty frame before it, so that proxies find the end of the envelope that they lengthen.
        let message = Message([[], Array(name.utf8), Array(body.utf8)] + frames)
        guard addresses.count > 1 else { return try await send(message, to: address) }
        let reply = try await withThrowingTaskGroup { [addresses, clock] tasks in
            for (index, address) in addresses.enumerated() {
                tasks.addTask {
                    if index > 0 { try await clock.sleep(for: Self.patience * index) }
                    return (address, try await self.send(message, to: address))
                }
            }
            defer { tasks.cancelAll() }
            return try await tasks.next()
        }
        guard let reply else { throw ResponseTimeoutError(addresses) }
        addresses = [reply.0] + addresses.filter { $0 != reply.0 }
        return reply.1
    }

    private func send(_ message: Message, to address: String) async throws -> Reply {
        let socket: Socket
        if let idle, idle.addresses == [address] {
            socket = idle
            self.idle = nil
        } else {
            socket = try await Self.connect(io, address)
        }
        await socket.send([message])
        for await batch in socket.incoming {
            guard let message = batch.first else { continue }
            idle = socket
            return Reply(frames: Array(message.frames.drop(while: \.isEmpty)))
        }
        try Task.checkCancellation()
        throw ResponseTimeoutError([address])
    }

    /// Closes the idle connection.
    public func close() async { await idle?.close() }

    private static func connect(_ io: IOThread, _ address: String) async throws(ZeroMQError) -> Socket {
        var options = SocketOptions()
        // The largest page: an empty frame, a word, a header, and two frames for each event.
        options.maximumFrames = 2 * PageFields.limits.upperBound + 3
        return try await io.open(.dealer, connect: [address], options: options)
    }
}

/// No process answered at an address, or at any of several, in time.
public struct ResponseTimeoutError: Error, CustomStringConvertible {
    /// The addresses that did not answer.
    public let addresses: [String]

    /// Makes the error.
    public init(_ addresses: [String]) {
        self.addresses = addresses
    }

    /// The addresses, and what to check.
    public var description: String {
        let names = addresses.joined(separator: ", ")
        return addresses.count == 1
            ? "no reply from \(names): check that the process is running and that this is its address"
            : "no reply from any of \(names): check that a process is running and that these are the addresses"
    }
}
