public import ZeroMQ

/// Asks a process on its ROUTER socket, one question at a time.
public actor CommandClient {
    private let socket: Socket
    private let address: String

    /// Connects to the process that listens on `address`; that it is not there yet does not matter.
    public init(_ io: IOThread, address: String) async throws(ZeroMQError) {
        var options = SocketOptions()
        // The largest page that can be asked for, with two frames an event, its word and its header.
        options.maximumFrames = 2 * PageFields.limits.upperBound + 2
        socket = try await io.open(.dealer, connect: [address], options: options)
        self.address = address
    }

    /// Asks, and waits for the answer, for ever if none comes: give it a deadline (`withDeadline`).
    ///
    /// After a question that was given up, the next answer may be that question's: close the client then.
    public func ask(_ name: String, _ body: String = "{}") async throws -> Reply {
        await socket.send([Message(name, body)])
        for await batch in socket.incoming {
            guard let message = batch.first else { continue }
            return Reply(frames: message.frames)
        }
        throw Unanswered(address: address)
    }

    /// Ends the connection.
    public func close() async {
        await socket.close()
    }
}

/// Nobody answered at an address in time.
public struct Unanswered: Error, CustomStringConvertible {
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
