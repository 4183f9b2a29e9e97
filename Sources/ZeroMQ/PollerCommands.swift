internal import Concurrency

/// What other threads leave for the I/O thread, which does it in the order in which it came.
struct PollerCommands: WakeupQueueContent {
    typealias Job = @Sendable (Poller) -> Void

    var jobs: [Job] = []
    /// The sockets that have begun to have something to send, by their ids.
    var senders: [Int] = []

    var isEmpty: Bool { jobs.isEmpty && senders.isEmpty }
}

extension WakeupQueue<PollerCommands> {
    /// Has the thread do something.
    func post(_ job: @escaping PollerCommands.Job) {
        post { $0.jobs.append(job) }
    }

    /// Tells that a socket has begun to have something to send.
    func post(sender: Int) {
        post { $0.senders.append(sender) }
    }

    /// All work there is.
    func take() -> PollerCommands {
        take { work in
            defer { work = PollerCommands() }
            return work
        }
    }
}
