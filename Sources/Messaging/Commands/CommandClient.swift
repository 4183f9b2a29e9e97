import Concurrency
public import Contract
public import ZeroMQ

/// Asks a process on its ROUTER socket.
///
/// An answer does not say which question it is to, so a socket has one question at a time and is used again only once
/// that is answered: what still comes to a question that was given up reaches nobody.
public actor CommandClient {
    private let io: IOThread
    private let address: String
    private var idle: Socket?

    /// Connects to the process that listens on `address`; that it is not there yet does not matter.
    public init(_ io: IOThread, address: String) async throws(ZeroMQError) {
        self.io = io
        self.address = address
        idle = try await Self.connect(io, address)
    }

    /// Asks, and waits for the answer, for ever if none comes: give it a deadline (`withDeadline`).
    public func ask(_ name: String, _ body: String = "{}", attaching frames: [[UInt8]] = []) async throws -> Reply {
        let socket: Socket
        if let idle { socket = idle } else { socket = try await Self.connect(io, address) }
        idle = nil
        await socket.send([Message([Array(name.utf8), Array(body.utf8)] + frames)])
        for await batch in socket.incoming {
            guard let message = batch.first else { continue }
            idle = socket
            return Reply(frames: message.frames)
        }
        try Task.checkCancellation()
        throw ResponseTimeoutError(address: address)
    }

    /// Ends the connection that would have taken the next question.
    public func close() async {
        await idle?.close()
    }

    private static func connect(_ io: IOThread, _ address: String) async throws(ZeroMQError) -> Socket {
        var options = SocketOptions()
        // The largest page that can be asked for, with two frames an event, its word and its header.
        options.maximumFrames = 2 * PageFields.limits.upperBound + 2
        return try await io.open(.dealer, connect: [address], options: options)
    }
}

/// Nobody answered at an address in time.
public struct ResponseTimeoutError: Error, CustomStringConvertible {
    let address: String

    /// Makes the error.
    public init(address: String) {
        self.address = address
    }

    /// Whom we waited for, and what to look at.
    public var description: String {
        "nobody answers at \(address): is the process running, and is this its address?"
    }
}
