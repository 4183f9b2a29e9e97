import Events

/// The accepted requests that wait for a fetcher, live ones before backfill, each kind in the order it came.
///
/// The inbox on disk is the truth and bounds the length; this is the part of it that can be handed out at once.
actor RequestQueue {
    private var live: ArraySlice<AcceptedRequest> = []
    private var backfill: ArraySlice<AcceptedRequest> = []
    private var takers: [(ticket: Int, continuation: CheckedContinuation<AcceptedRequest?, Never>)] = []
    private var lastTicket = 0
    /// How many requests of each client wait.
    private(set) var waiting: [String: Int] = [:]
    private var isClosed = false

    /// How many live requests wait.
    var liveCount: Int { live.count }
    /// How many backfill requests wait.
    var backfillCount: Int { backfill.count }

    /// How many fetchers wait.
    var takerCount: Int { takers.count }

    /// Puts requests at the end of their line.
    func add(_ requests: [AcceptedRequest]) {
        for client in requests.compactMap(\.client) { waiting[client, default: 0] += 1 }
        live += requests.filter { $0.request.priority == .live }
        backfill += requests.filter { $0.request.priority == .backfill }
        while !takers.isEmpty, let request = first() { takers.removeFirst().continuation.resume(returning: request) }
    }

    /// Hands out the next request, or nil once the queue is closed or when the task is cancelled.
    func next() async -> AcceptedRequest? {
        if isClosed { return nil }
        if let request = first() { return request }
        lastTicket += 1
        let ticket = lastTicket
        return await withTaskCancellationHandler {
            await withCheckedContinuation { takers.append((ticket, $0)) }
        } onCancel: {
            // Comes after the taker is in its line, since that is put there without a pause.
            Task { await giveUp(ticket) }
        }
    }

    /// Hands out nothing any more; what still waits stays in the inbox on disk.
    func close() {
        isClosed = true
        for taker in takers { taker.continuation.resume(returning: nil) }
        takers = []
    }

    private func first() -> AcceptedRequest? {
        let request = live.popFirst() ?? backfill.popFirst()
        if let client = request?.client {
            let rest = waiting[client, default: 0] - 1
            waiting[client] = rest > 0 ? rest : nil
        }
        return request
    }

    private func giveUp(_ ticket: Int) {
        guard let index = takers.firstIndex(where: { $0.ticket == ticket }) else { return }
        takers.remove(at: index).continuation.resume(returning: nil)
    }
}
