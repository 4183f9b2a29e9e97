import Concurrency

/// What callers on any thread leave for the loop's thread.
///
/// It is also the thread's `TaskExecutor`: a task that prefers it asks and is answered without a hop to another thread.
///
/// See docs/decisions/0049-fetch-executor.md.
final class TransferQueue: TaskExecutor {
    /// What has come in since the last look.
    struct Orders: WakeupQueueContent {
        var new: [PendingTransfer] = []
        var cancelled: [PendingTransfer.ID] = []
        /// The jobs of tasks that prefer the thread.
        var jobs: [UnownedJob] = []
        var isClosing = false
        /// Nobody looks any more.
        fileprivate var isOver = false

        var isEmpty: Bool { new.isEmpty && cancelled.isEmpty && jobs.isEmpty && !isClosing }
    }

    /// What wakes the loop.
    let wakeupQueue: WakeupQueue<Orders>
    private let lastID = Locked<PendingTransfer.ID>(0)
    private let hasEnded = AsyncCondition(false)

    init() throws(SystemError) {
        wakeupQueue = try WakeupQueue(Orders())
    }

    /// A number for an order.
    func makeID() -> PendingTransfer.ID {
        lastID.withLock { lastID in
            lastID += 1
            return lastID
        }
    }

    /// Hands over an order; false if nobody will do it any more.
    func post(_ order: PendingTransfer) -> Bool {
        wakeupQueue.post { orders in
            if !orders.isClosing { orders.new.append(order) }
            return !orders.isClosing
        }
    }

    /// Calls an order back. One that is not there yet, or no longer, is none of the loop's concern.
    func cancel(_ id: PendingTransfer.ID) {
        wakeupQueue.post { $0.cancelled.append(id) }
    }

    /// Has the loop run a job; once that has ended, any thread runs it.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isOver = wakeupQueue.post { orders in
            if !orders.isOver { orders.jobs.append(job) }
            return orders.isOver
        }
        if isOver { globalConcurrentExecutor.enqueue(job) }
    }

    /// Tells the loop to call everything back and end.
    func close() {
        wakeupQueue.post { $0.isClosing = true }
    }

    /// Returns when the loop has ended, which it does once it is closed.
    func waitForEnd() async {
        await hasEnded.waitIgnoringCancellation { $0 ? () : nil }
    }

    /// Takes all orders; that the inbox is closing stays.
    func take() -> Orders {
        wakeupQueue.take { orders in
            defer { orders = Orders(isClosing: orders.isClosing) }
            return orders
        }
    }

    /// Tells those who wait that the loop has ended.
    func loopEnded() {
        let jobs = wakeupQueue.take { orders in
            orders.isOver = true
            return orders.jobs
        }
        for job in jobs { globalConcurrentExecutor.enqueue(job) }
        hasEnded.update { $0 = true }
    }
}
