/// Bounds the concurrent transfers per host and in total, and starts waiting ones in order of arrival. It has no I/O
/// and no clock.
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

    /// The number of transfers that wait.
    var waitingCount: Int { hostOf.count - active }

    /// Adds a transfer to the queue; false if it would have to wait and the queue is full.
    mutating func enqueue(_ id: ID, host: String) -> Bool {
        let canStart = active < limits.total && hosts[host, default: Host()].active < limits.perHost
        guard canStart || waitingCount < limits.queueLength else { return false }
        hosts[host, default: Host()].waiting.append(id)
        hostOf[id] = host
        return true
    }

    /// Returns the longest-waiting transfer that can start now and counts it as active until `remove`; nil if none can
    /// start.
    mutating func startNext() -> ID? {
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

    /// Removes a transfer, whether it waits or is active.
    mutating func remove(_ id: ID) {
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
