internal import Concurrency

/// How many bytes of messages a router has for each of its clients that they have not read, by routing id.
///
/// libzmq counts what waits for a peer in messages, and tells nobody. So each message carries a charge, from when it is
/// queued until libzmq gives back its last frame: to the kernel, or with a connection that is gone.
///
/// See docs/decisions/0043-memory-held-by-libzmq.md.
final class UnreadByteAccounting: Sendable {
    private struct State {
        var bytes: [[UInt8]: Int] = [:]
        var total = 0
    }

    private let state = Locked(State())

    /// The bytes for all clients together.
    var total: Int { state.withLock(\.total) }

    /// The bytes for one client.
    func bytes(of client: [UInt8]) -> Int {
        state.withLock { $0.bytes[client] ?? 0 }
    }

    /// The message, which counts from now on.
    func charge(_ message: Message) -> Message {
        var message = message
        message.charge = Reservation(message.footprint, to: message.frames[0], in: self)
        return message
    }

    private func add(_ bytes: Int, to client: [UInt8]) {
        state.withLock { state in
            state.total += bytes
            let sum = (state.bytes[client] ?? 0) + bytes
            state.bytes[client] = sum == 0 ? nil : sum
        }
    }
}

extension UnreadByteAccounting {
    /// What one message takes, as long as this lives: wherever it ends, in libzmq too, it no longer counts.
    final class Reservation: Sendable {
        private let bytes: Int
        private let client: [UInt8]
        private let unread: UnreadByteAccounting

        fileprivate init(_ bytes: Int, to client: [UInt8], in unread: UnreadByteAccounting) {
            self.bytes = bytes
            self.client = client
            self.unread = unread
            unread.add(bytes, to: client)
        }

        deinit {
            unread.add(-bytes, to: client)
        }
    }
}
