import ZeroMQ

/// Calls `body` with a new I/O thread, and shuts the thread down even if `body` throws.
func withThread<Result>(_ body: (IOThread) async throws -> Result) async throws -> Result {
    let thread = try IOThread()
    do {
        let result = try await body(thread)
        await thread.shutdown()
        return result
    } catch {
        await thread.shutdown()
        throw error
    }
}

extension Socket {
    /// Receives the next `count` messages, or fewer if the socket is closed first.
    func next(_ count: Int) async -> [Message] {
        var messages: [Message] = []
        guard count > 0 else { return [] }
        for await batch in incoming {
            messages += batch
            if messages.count >= count { break }
        }
        return messages
    }

    /// Receives the next message, which must be alone in its batch.
    func next() async throws -> Message {
        for await batch in incoming {
            guard batch.count == 1 else {
                throw UnexpectedResultError(description: "\(batch.count) messages instead of one")
            }
            return batch[0]
        }
        throw UnexpectedResultError(description: "closed instead of a message")
    }
}

extension Message {
    /// Returns an answer to a message that a router has received.
    func answered(with body: [UInt8]) -> Message {
        Message([frames[0], body], peer: peer, connection: connection)
    }
}

struct UnexpectedResultError: Error, CustomStringConvertible {
    let description: String
}

/// Makes messages of two frames, a topic and a number that counts from `first`.
func numbered(_ count: Int, topic: String = "n", from first: Int = 0) -> [Message] {
    (first..<first + count).map { Message(topic, String($0)) }
}
