/// So many places, and whoever comes when all are taken waits in line: a fetch's own time begins when it has one.
actor Places {
    private var free: Int
    private var line: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) {
        free = count
    }

    /// Runs `body` in a place.
    func take<Value: Sendable>(_ body: @Sendable () async -> Value) async -> Value {
        if free > 0 { free -= 1 } else { await withCheckedContinuation { line.append($0) } }
        let value = await body()
        // The place is handed on, or given back.
        if line.isEmpty { free += 1 } else { line.removeFirst().resume() }
        return value
    }
}
