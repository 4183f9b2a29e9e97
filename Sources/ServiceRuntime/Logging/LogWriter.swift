import Concurrency
import Glibc

/// Writes log lines to a descriptor on a thread of its own, so that a reader who stands still stops the log and nothing else.
///
/// Lines are written in their order, those of one call with one write(2), so that they do not mix with lines of other
/// processes. They wait in a queue; those that find it full are dropped and counted, and a line in their place says how many.
public final class LogWriter: Sendable {
    /// The writer of this process's log, which keeps up to 4 MiB.
    public static let standardError = LogWriter(STDERR_FILENO, limit: 4 << 20)

    private struct Pending: WakeupQueueContent {
        var lines: [[UInt8]] = []
        var size = 0
        /// How many lines were dropped after the last of `lines`, and what to write in their place.
        var gap: (count: Int, notice: @Sendable (Int) -> [UInt8])?
        /// Whether the thread writes what it has taken.
        var isWriting = false

        var isEmpty: Bool { lines.isEmpty && gap == nil && !isWriting }
    }

    private let descriptor: Int32
    private let limit: Int
    private let droppedLines = Counter()
    /// The queue of the thread, which the first line starts: most commands log none.
    private let queue = Locked<WakeupQueue<Pending>?>(nil)

    /// Makes a writer.
    init(_ descriptor: Int32, limit: Int) {
        self.descriptor = descriptor
        self.limit = limit
    }

    /// The number of lines that were not written, because nobody read the others or because write(2) failed.
    var dropped: Int { droppedLines.count }

    /// Queues whole lines to be written. Never blocks.
    func write(_ lines: [UInt8], notice: @escaping @Sendable (Int) -> [UInt8]) {
        let queue = queue.withLock { queue in
            if queue == nil { queue = try? start() }
            return queue
        }
        // A process at its limit of files or threads writes where it logs, so that the log says so.
        guard let queue else { return writeNow(lines) }
        let isQueued = queue.post { pending in
            // Nothing comes after a gap, so that what says how many lines are missing stands in their place.
            guard pending.gap == nil, pending.size < limit else {
                pending.gap = ((pending.gap?.count ?? 0) + lines.lineCount, notice)
                return false
            }
            pending.lines.append(lines)
            pending.size += lines.count
            return true
        }
        if !isQueued { droppedLines.add(lines.lineCount) }
    }

    /// Blocks until all lines are written, or for two seconds; returns false if nobody has read them until then.
    ///
    /// Call it before the process ends.
    @discardableResult public func flush() -> Bool {
        // By short sleeps, which take their time whatever is done to the clock.
        for _ in 0..<2_000 {
            guard let queue = queue.withLock({ $0 }), !queue.isEmpty else { return true }
            usleep(1_000)
        }
        return false
    }

    private func writeNow(_ lines: [UInt8]) {
        do {
            try writeAll(lines, to: descriptor)
        } catch {
            // There is nowhere to report it but the metric.
            droppedLines.add(lines.lineCount)
        }
    }

    private func start() throws -> WakeupQueue<Pending> {
        let queue = try WakeupQueue(Pending())
        try startThread { self.run(queue) }
        return queue
    }

    private func run(_ queue: WakeupQueue<Pending>) {
        while true {
            let pending = queue.take { pending in
                defer { pending = Pending(isWriting: true) }
                return pending
            }
            for lines in pending.lines { writeNow(lines) }
            if let (count, notice) = pending.gap { writeNow(notice(count)) }
            queue.take { $0.isWriting = false }
            if queue.prepareToSleep() {
                var wakeup = pollfd(fd: queue.descriptor, events: Int16(POLLIN), revents: 0)
                poll(&wakeup, 1, -1)
                queue.clearWakeup()
            }
        }
    }
}

extension [UInt8] {
    fileprivate var lineCount: Int { count { $0 == UInt8(ascii: "\n") } }
}
