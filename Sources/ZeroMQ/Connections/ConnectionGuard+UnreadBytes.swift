internal import Concurrency

extension ConnectionGuard {
    /// Counts, for each connection of a router, the bytes of the messages that the client has not read.
    ///
    /// libzmq counts only messages, and does not report them. Each message therefore holds a reservation from when it is
    /// queued until libzmq releases its last frame: to the kernel, or because the connection is gone.
    final class UnreadBytes: Sendable {
        private struct State {
            /// The bytes of each connection, with the name of its key; without encryption there is none.
            var entries: [ConnectionID: (key: String?, bytes: Int)] = [:]
            var total = 0
        }

        private let state = Locked(State())

        var total: Int { state.withLock(\.total) }

        func bytes(of connection: ConnectionID) -> Int {
            state.withLock { $0.entries[connection]?.bytes ?? 0 }
        }

        func bytes(ofKey key: String) -> Int {
            state.withLock { $0.entries.values.reduce(0) { $0 + ($1.key == key ? $1.bytes : 0) } }
        }

        /// Returns the message with a reservation, which counts it as unread until it is released.
        func reserve(for message: Message) -> Message {
            var message = message
            message.reservation = Reservation(
                message.footprint, for: message.connection ?? .none, message.peer?.name, in: self)
            return message
        }

        private func add(_ bytes: Int, for connection: ConnectionID, _ key: String?) {
            state.withLock { state in
                state.total += bytes
                let sum = (state.entries[connection]?.bytes ?? 0) + bytes
                state.entries[connection] = sum == 0 ? nil : (key, sum)
            }
        }
    }
}

extension ConnectionGuard.UnreadBytes {
    /// Counts the bytes of one message for as long as it lives, in libzmq too.
    final class Reservation: Sendable {
        private let bytes: Int
        private let connection: ConnectionID
        private let key: String?
        private let accounting: ConnectionGuard.UnreadBytes

        fileprivate init(
            _ bytes: Int, for connection: ConnectionID, _ key: String?, in accounting: ConnectionGuard.UnreadBytes
        ) {
            self.bytes = bytes
            self.connection = connection
            self.key = key
            self.accounting = accounting
            accounting.add(bytes, for: connection, key)
        }

        deinit {
            accounting.add(-bytes, for: connection, key)
        }
    }
}
