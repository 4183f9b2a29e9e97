import Concurrency
import Contract

/// The requests that wait for a fetcher, live ones before backfill, each kind in the order it came.
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

    fileprivate struct State: Sendable {
        var live: ArraySlice<AcceptedRequest> = []
        var backfill: ArraySlice<AcceptedRequest> = []
        var byClient: [String: Int] = [:]
        var isClosed = false
    }

    private let state = AsyncCondition(State())

    /// How much waits now.
    var lengths: Lengths {
        state.read { Lengths(live: $0.live.count, backfill: $0.backfill.count, byClient: $0.byClient) }
    }
    /// How many fetchers wait.
    var takerCount: Int { state.waiterCount }

    /// Puts requests at the end of their line.
    func add(_ requests: [AcceptedRequest]) {
        state.update { $0.add(requests) }
    }

    /// Hands out the next request, or nil once the queue is closed or when the task is cancelled.
    func next() async -> AcceptedRequest? {
        let next = await state.waitForValue { state -> Next? in
            state.isClosed ? .end : state.first().map(Next.request)
        }
        guard case .request(let request) = next else { return nil }
        return request
    }

    /// Hands out nothing any more; what still waits stays in the inbox on disk.
    func close() {
        state.update { $0.isClosed = true }
    }

    private enum Next: Sendable {
        case request(AcceptedRequest)
        case end
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
