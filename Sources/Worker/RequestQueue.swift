import Concurrency
import Events

/// The requests that wait for a fetcher, live ones before backfill, each kind in the order it came; some are here a moment
/// before they are on disk.
///
/// The inbox on disk is the truth and bounds the length; this is the part of it that can be handed out at once.
final class RequestQueue: Sendable {
    /// How much waits, for those who only look.
    struct Lengths: Sendable {
        var live = 0
        var backfill = 0
        /// How many requests of each client wait.
        var byClient: [String: Int] = [:]
    }

    fileprivate typealias Taker = CheckedContinuation<AcceptedRequest?, Never>

    fileprivate struct State {
        var live: ArraySlice<AcceptedRequest> = []
        var backfill: ArraySlice<AcceptedRequest> = []
        var byClient: [String: Int] = [:]
        var takers: [(ticket: Int, continuation: Taker)] = []
        var lastTicket = 0
        var isClosed = false
    }

    private let state = Locked(State())

    /// How much waits now.
    var lengths: Lengths {
        state.withLock { Lengths(live: $0.live.count, backfill: $0.backfill.count, byClient: $0.byClient) }
    }
    /// How many fetchers wait.
    var takerCount: Int { state.withLock { $0.takers.count } }

    /// Puts requests at the end of their line.
    func add(_ requests: [AcceptedRequest]) {
        let handedOut = state.withLock { state in
            state.add(requests)
            var handedOut: [(Taker, AcceptedRequest)] = []
            while !state.takers.isEmpty, let request = state.first() {
                handedOut.append((state.takers.removeFirst().continuation, request))
            }
            return handedOut
        }
        for (taker, request) in handedOut { taker.resume(returning: request) }
    }

    /// Hands out the next request, or nil once the queue is closed or when the task is cancelled.
    func next() async -> AcceptedRequest? {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Cancellation is looked at under the lock that `giveUp` takes: it is seen here, or comes after.
                let answer = state.withLock { state -> AcceptedRequest?? in
                    if state.isClosed || Task.isCancelled { return .some(nil) }
                    if let request = state.first() { return .some(request) }
                    state.takers.append((ticket, continuation))
                    return .none
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            giveUp(ticket)
        }
    }

    /// Hands out nothing any more; what still waits stays in the inbox on disk.
    func close() {
        let takers = state.withLock { state in
            defer { state.takers = [] }
            state.isClosed = true
            return state.takers
        }
        for taker in takers { taker.continuation.resume(returning: nil) }
    }

    private func giveUp(_ ticket: Int) {
        let taker = state.withLock { state in
            state.takers.firstIndex { $0.ticket == ticket }.map { state.takers.remove(at: $0).continuation }
        }
        taker?.resume(returning: nil)
    }
}

extension RequestQueue.State {
    fileprivate mutating func add(_ requests: [AcceptedRequest]) {
        live += requests.filter { $0.request.priority == .live }
        backfill += requests.filter { $0.request.priority == .backfill }
        for client in requests.compactMap(\.client) { byClient[client, default: 0] += 1 }
    }

    fileprivate mutating func first() -> AcceptedRequest? {
        guard let request = live.popFirst() ?? backfill.popFirst() else { return nil }
        if let client = request.client {
            let rest = byClient[client, default: 0] - 1
            byClient[client] = rest > 0 ? rest : nil
        }
        return request
    }
}
