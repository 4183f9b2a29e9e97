/// Who may go now: at most so many at once per host and in all, in the order they came. No I/O, no time.
struct HostConnectionLimiter {
    typealias ID = PendingTransfer.ID

    private struct Host {
        var active = 0
        var waiting: [ID] = []
    }

    private let limits: HTTPClient.Limits
    private var hosts: [String: Host] = [:]
    private var hostOf: [ID: String] = [:]
    private var active = 0

    init(_ limits: HTTPClient.Limits) {
        self.limits = limits
    }

    /// The requests that wait.
    var waiting: Int { hostOf.count - active }

    /// Puts a request in the queue; false if there is no place for it now and the queue is full.
    mutating func enter(_ id: ID, host: String) -> Bool {
        let hasPlace = active < limits.total && hosts[host, default: Host()].active < limits.perHost
        guard hasPlace || waiting < limits.waiting else { return false }
        hosts[host, default: Host()].waiting.append(id)
        hostOf[id] = host
        return true
    }

    /// The request that has waited longest of those for which there is a place now; it has the place until it leaves.
    mutating func next() -> ID? {
        guard active < limits.total else { return nil }
        var first: ID?
        for host in hosts.values where host.active < limits.perHost {
            if let id = host.waiting.first { first = min(id, first ?? id) }
        }
        guard let first, let host = hostOf[first] else { return nil }
        hosts[host]?.waiting.removeFirst()
        hosts[host]?.active += 1
        active += 1
        return first
    }

    /// Takes a request out, whether it waits or has a place.
    mutating func leave(_ id: ID) {
        guard let name = hostOf.removeValue(forKey: id), var host = hosts[name] else { return }
        if let index = host.waiting.firstIndex(of: id) {
            host.waiting.remove(at: index)
        } else {
            host.active -= 1
            active -= 1
        }
        hosts[name] = host.active == 0 && host.waiting.isEmpty ? nil : host
    }
}
