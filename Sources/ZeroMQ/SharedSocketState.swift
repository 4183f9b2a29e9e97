internal import Concurrency

/// What a socket's users and the I/O thread share: all of it may be used from any thread.
struct SharedSocketState: Sendable {
    let inbox: ReceiveQueue
    let outbox: SendQueue
    let subscribers = Subscribers()
    /// What a router's clients have not read.
    let unread: UnreadByteAccounting?
    let counters: Locked<SocketCounters>

    /// Refuses what comes, ends who waits; what is queued stays.
    func close() {
        inbox.finish()
        outbox.close()
        subscribers.close()
    }
}
