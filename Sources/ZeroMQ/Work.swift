internal import Concurrency

/// What other threads leave for the I/O thread, which does it in the order in which it came.
struct Work: WakeupQueueContent {
    typealias Job = @Sendable (Poller) -> Void

    var jobs: [Job] = []
    /// The sockets that have begun to have something to send, by their ids.
    var senders: [Int] = []

    var isEmpty: Bool { jobs.isEmpty && senders.isEmpty }
}

extension WakeupQueue<Work> {
    /// Has the thread do something.
    func post(_ job: @escaping Work.Job) {
        post { $0.jobs.append(job) }
    }

    /// Tells that a socket has begun to have something to send.
    func post(sender: Int) {
        post { $0.senders.append(sender) }
    }

    /// All work there is.
    func take() -> Work {
        take { work in
            defer { work = Work() }
            return work
        }
    }
}
