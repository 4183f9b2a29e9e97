import Concurrency

/// The queue by which callers on any thread give work to the event loop's thread.
///
/// It is also the thread's `TaskExecutor`: a task that prefers it sends and receives without a hop to another thread.
///
/// See docs/decisions/0049-fetch-executor.md.
final class TransferQueue: TaskExecutor {
    /// The work that has arrived since the last read.
    struct Work: WakeupQueueContent {
        var transfers: [PendingTransfer] = []
        var cancelled: [PendingTransfer.ID] = []
        /// Jobs of tasks that prefer the thread.
        var jobs: [UnownedJob] = []
        var isClosing = false
        /// The loop has ended and reads no more work.
        fileprivate var isOver = false

        var isEmpty: Bool { transfers.isEmpty && cancelled.isEmpty && jobs.isEmpty && !isClosing }
    }

    /// The queue whose descriptor wakes the loop.
    let wakeupQueue: WakeupQueue<Work>
    private let lastID = Locked<PendingTransfer.ID>(0)
    private let hasEnded = AsyncCondition(false)

    init() throws(SystemError) {
        wakeupQueue = try WakeupQueue(Work())
    }

    /// Returns a new, unique transfer number.
    func makeID() -> PendingTransfer.ID {
        lastID.withLock { lastID in
            lastID += 1
            return lastID
        }
    }

    /// Enqueues a transfer; false if the queue is closing.
    func post(_ transfer: PendingTransfer) -> Bool {
        wakeupQueue.post { work in
            if !work.isClosing { work.transfers.append(transfer) }
            return !work.isClosing
        }
    }

    /// Cancels a transfer. A number that is unknown to the loop, or already complete, has no effect.
    func cancel(_ id: PendingTransfer.ID) {
        wakeupQueue.post { $0.cancelled.append(id) }
    }

    /// Runs a job on the loop's thread; after the loop has ended, on the global executor.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isOver = wakeupQueue.post { work in
            if !work.isOver { work.jobs.append(job) }
            return work.isOver
        }
        if isOver { globalConcurrentExecutor.enqueue(job) }
    }

    /// Makes the loop cancel all transfers and end.
    func close() {
        wakeupQueue.post { $0.isClosing = true }
    }

    /// Returns when the loop has ended. Call `close()` first.
    func waitForEnd() async {
        await hasEnded.waitIgnoringCancellation { $0 ? () : nil }
    }

    /// Removes and returns all work; `isClosing` stays set.
    func take() -> Work {
        wakeupQueue.take { work in
            defer { work = Work(isClosing: work.isClosing) }
            return work
        }
    }

    /// Marks the loop as ended: resumes `waitForEnd` and moves waiting jobs to the global executor.
    func loopEnded() {
        let jobs = wakeupQueue.take { work in
            work.isOver = true
            return work.jobs
        }
        for job in jobs { globalConcurrentExecutor.enqueue(job) }
        hasEnded.update { $0 = true }
    }
}
