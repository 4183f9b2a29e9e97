import Concurrency
public import Contract
public import ZeroMQ

/// Sends commands to a process and waits for the replies.
///
/// A reply does not name its command. Each socket therefore has one command at a time and is reused only after the reply;
/// a late reply to an abandoned command is discarded with its socket.
public actor CommandClient {
    private let io: IOThread
    private let address: String
    private var idle: Socket?

    /// Connects to the process that listens on `address`, which need not run yet.
    public init(_ io: IOThread, address: String) async throws(ZeroMQError) {
        self.io = io
        self.address = address
        idle = try await Self.connect(io, address)
    }

    /// Sends a command and waits for the reply, without a time limit: use `withDeadline`.
    ///
    /// - Throws: A `CancellationError`, a `ZeroMQError`, or a `ResponseTimeoutError` if the I/O thread is shut down first.
    public func ask(_ name: String, _ body: String = "{}", attaching frames: [[UInt8]] = []) async throws -> Reply {
        let socket: Socket
        if let idle { socket = idle } else { socket = try await Self.connect(io, address) }
        idle = nil
        // With an empty frame before it, so that proxies find the end of the envelope that they lengthen.
        await socket.send([Message([[], Array(name.utf8), Array(body.utf8)] + frames)])
        for await batch in socket.incoming {
            guard let message = batch.first else { continue }
            idle = socket
            return Reply(frames: Array(message.frames.drop(while: \.isEmpty)))
        }
        try Task.checkCancellation()
        throw ResponseTimeoutError(address: address)
    }

    /// Closes the idle connection.
    public func close() async {
        await idle?.close()
    }

    private static func connect(_ io: IOThread, _ address: String) async throws(ZeroMQError) -> Socket {
        var options = SocketOptions()
        // The largest page: an empty frame, a word, a header, and two frames for each event.
        options.maximumFrames = 2 * PageFields.limits.upperBound + 3
        return try await io.open(.dealer, connect: [address], options: options)
    }
}

/// No process answered at an address in time.
public struct ResponseTimeoutError: Error, CustomStringConvertible {
    /// The address that did not answer.
    public let address: String

    /// Makes the error.
    public init(address: String) {
        self.address = address
    }

    /// The address, and what to check.
    public var description: String {
        "no reply from \(address): check that the process is running and that this is its address"
    }
}
