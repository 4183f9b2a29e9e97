import Concurrency
import Contract

/// The requests that wait for a fetcher: live ones before backfill, each kind in the order in which they came. The
/// inbox on disk is authoritative and bounds the length. Once the queue is closed it is empty, and requests wait in the
/// inbox only.
final class RequestQueue: Sendable {
    struct Lengths: Sendable {
        var live = 0
        var backfill = 0
        var byClient: [String: Int] = [:]
    }

    private struct State: Sendable {
        var live: ArraySlice<AcceptedRequest> = []
        var backfill: ArraySlice<AcceptedRequest> = []
        var byClient: [String: Int] = [:]
        var isOpen = true

        mutating func add(_ requests: [AcceptedRequest]) {
            live += requests.filter { $0.request.priority == .live }
            backfill += requests.filter { $0.request.priority == .backfill }
            for client in requests.compactMap(\.client) { byClient[client, default: 0] += 1 }
        }

        mutating func popFirst() -> AcceptedRequest? {
            guard let request = live.popFirst() ?? backfill.popFirst() else { return nil }
            if let client = request.client {
                let rest = byClient[client, default: 0] - 1
                byClient[client] = rest > 0 ? rest : nil
            }
            return request
        }
    }

    private let state = AsyncCondition(State())

    var lengths: Lengths {
        state.read { Lengths(live: $0.live.count, backfill: $0.backfill.count, byClient: $0.byClient) }
    }

    var waiterCount: Int { state.waiterCount }

    /// Appends requests, or drops them if the queue is closed: they stay in the inbox.
    func add(_ requests: [AcceptedRequest]) {
        guard !requests.isEmpty else { return }
        state.update { if $0.isOpen { $0.add(requests) } }
    }

    /// Returns the next request, waiting for one; nil once the queue is closed or the task is cancelled.
    func next() async -> AcceptedRequest? {
        let next = await state.waitForValue { state -> [AcceptedRequest]? in
            state.isOpen ? state.popFirst().map { [$0] } : []
        }
        return next?.first
    }

    /// Closes the queue; what waits stays in the inbox on disk.
    func close() {
        state.update { $0 = State(isOpen: false) }
    }
}
