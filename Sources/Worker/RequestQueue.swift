import Events
import Locking

/// The accepted requests that wait for a fetcher, live ones before backfill, each kind in the order it came.
///
/// The inbox on disk is the truth and bounds the length; this is the part of it that can be handed out at once.
actor RequestQueue {
    /// How much waits, for those who only look.
    struct Lengths: Sendable {
        var live = 0
        var backfill = 0
        /// How many requests of each client wait.
        var byClient: [String: Int] = [:]
    }

    private var live: ArraySlice<AcceptedRequest> = []
    private var backfill: ArraySlice<AcceptedRequest> = []
    private let counted = Locked(Lengths())
    private var takers: [(ticket: Int, continuation: CheckedContinuation<AcceptedRequest?, Never>)] = []
    private var lastTicket = 0
    private var isClosed = false

    /// How much waits now.
    nonisolated var lengths: Lengths { counted.withLock { $0 } }
    /// How many fetchers wait.
    var takerCount: Int { takers.count }

    /// Puts requests at the end of their line.
    func add(_ requests: [AcceptedRequest]) {
        live += requests.filter { $0.request.priority == .live }
        backfill += requests.filter { $0.request.priority == .backfill }
        counted.withLock { lengths in
            (lengths.live, lengths.backfill) = (live.count, backfill.count)
            for client in requests.compactMap(\.client) { lengths.byClient[client, default: 0] += 1 }
        }
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
        guard let request else { return nil }
        counted.withLock { lengths in
            (lengths.live, lengths.backfill) = (live.count, backfill.count)
            guard let client = request.client else { return }
            let rest = lengths.byClient[client, default: 0] - 1
            lengths.byClient[client] = rest > 0 ? rest : nil
        }
        return request
    }

    private func giveUp(_ ticket: Int) {
        guard let index = takers.firstIndex(where: { $0.ticket == ticket }) else { return }
        takers.remove(at: index).continuation.resume(returning: nil)
    }
}
