import Concurrency
import Messaging
import ZeroMQ

/// Runs `body` with a fresh I/O thread and shuts it down, however `body` ends.
func withIO<Result>(_ body: (IOThread) async throws -> Result) async throws -> Result {
    let io = try IOThread()
    do {
        let result = try await body(io)
        await io.shutdown()
        return result
    } catch {
        await io.shutdown()
        throw error
    }
}

extension IOThread {
    /// A socket on a port of the system's choice.
    func bind(_ kind: SocketKind, _ options: SocketOptions = SocketOptions()) async throws -> Socket {
        try await open(kind, bind: ["tcp://127.0.0.1:*"], options: options)
    }
}

extension Socket {
    /// The next so many messages; fewer if the socket is closed first.
    func next(_ count: Int) async -> [Message] {
        var messages: [Message] = []
        for await batch in incoming {
            messages += batch
            if messages.count >= count { break }
        }
        return messages
    }

    /// The questions that come in on a router, one at a time.
    func commands() -> AsyncStream<Command> {
        let socket = self
        let rest = Locked<[Message]>([])
        return AsyncStream {
            while true {
                if let message = rest.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return Command(message) }
                guard let batch = await socket.incoming.first(where: { !$0.isEmpty }) else { return nil }
                rest.withLock { $0 += batch }
            }
        }
    }
}
