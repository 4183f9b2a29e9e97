import ZeroMQ

/// Runs `body` with a fresh I/O thread and shuts it down, however `body` ends.
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
    /// The next so many messages; fewer if the socket is closed first.
    func next(_ count: Int) async -> [Message] {
        var messages: [Message] = []
        guard count > 0 else { return [] }
        for await batch in incoming {
            messages += batch
            if messages.count >= count { break }
        }
        return messages
    }

    /// The next message.
    func next() async throws -> Message {
        for await batch in incoming {
            guard batch.count == 1 else { throw Unexpected(what: "\(batch.count) messages instead of one") }
            return batch[0]
        }
        throw Unexpected(what: "closed instead of a message")
    }
}

struct Unexpected: Error {
    let what: String
}

/// Messages of two frames, a topic and a number that counts from zero.
func numbered(_ count: Int, topic: String = "n", from first: Int = 0) -> [Message] {
    (first..<first + count).map { Message(topic, String($0)) }
}
