import Events

/// The accepted requests that wait for a fetcher, live ones before backfill, each kind in the order it came.
///
/// The inbox on disk is the truth and bounds the length; this is the part of it that can be handed out at once.
actor RequestQueue {
    private var live: [AcceptedRequest] = []
    private var backfill: [AcceptedRequest] = []
    private var waiting: [CheckedContinuation<AcceptedRequest?, Never>] = []
    private var isClosed = false

    /// How many live requests wait.
    var liveCount: Int { live.count }
    /// How many backfill requests wait.
    var backfillCount: Int { backfill.count }

    /// Puts requests at the end of their line.
    func add(_ requests: [AcceptedRequest]) {
        for request in requests {
            if !waiting.isEmpty {
                waiting.removeFirst().resume(returning: request)
            } else if request.request.priority == .live {
                live.append(request)
            } else {
                backfill.append(request)
            }
        }
    }

    /// Hands out the next request, or nil once the queue is closed.
    func next() async -> AcceptedRequest? {
        if isClosed { return nil }
        if !live.isEmpty { return live.removeFirst() }
        if !backfill.isEmpty { return backfill.removeFirst() }
        return await withCheckedContinuation { waiting.append($0) }
    }

    /// Hands out nothing any more; what still waits stays in the inbox on disk.
    func close() {
        isClosed = true
        for continuation in waiting { continuation.resume(returning: nil) }
        waiting = []
    }
}
