internal import Concurrency

/// Counts, for each client of a router, the bytes of the messages that the client has not read.
///
/// libzmq counts only messages, and does not report them. Each message therefore holds a reservation from when it is
/// queued until libzmq releases its last frame: to the kernel, or because the connection is gone.
///
/// See docs/decisions/0043-memory-held-by-libzmq.md.
final class UnreadByteAccounting: Sendable {
    private struct State {
        var bytesByClient: [[UInt8]: Int] = [:]
        var total = 0
    }

    private let state = Locked(State())

    /// The unread bytes of all clients.
    var total: Int { state.withLock(\.total) }

    /// Returns the unread bytes of a client, by its routing id.
    func bytes(of client: [UInt8]) -> Int {
        state.withLock { $0.bytesByClient[client] ?? 0 }
    }

    /// Returns the message with a reservation, which counts it as unread until it is released.
    func reserve(for message: Message) -> Message {
        var message = message
        message.reservation = Reservation(message.footprint, for: message.frames[0], in: self)
        return message
    }

    private func add(_ bytes: Int, for client: [UInt8]) {
        state.withLock { state in
            state.total += bytes
            let sum = (state.bytesByClient[client] ?? 0) + bytes
            state.bytesByClient[client] = sum == 0 ? nil : sum
        }
    }
}

extension UnreadByteAccounting {
    /// Counts the bytes of one message for as long as it lives, in libzmq too.
    final class Reservation: Sendable {
        private let bytes: Int
        private let client: [UInt8]
        private let accounting: UnreadByteAccounting

        fileprivate init(_ bytes: Int, for client: [UInt8], in accounting: UnreadByteAccounting) {
            self.bytes = bytes
            self.client = client
            self.accounting = accounting
            accounting.add(bytes, for: client)
        }

        deinit {
            accounting.add(-bytes, for: client)
        }
    }
}
