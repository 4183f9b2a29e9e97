/// Holds handlers until the test opens it, and counts them.
actor Gate {
    private var arrived = 0
    private var isOpen = false
    private var waitingToPass: [CheckedContinuation<Void, Never>] = []
    private var waitingForArrival: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// Waits until the gate is open.
    func pass() async {
        arrived += 1
        for waiting in waitingForArrival where waiting.count <= arrived { waiting.continuation.resume() }
        waitingForArrival.removeAll { $0.count <= arrived }
        if !isOpen { await withCheckedContinuation { waitingToPass.append($0) } }
    }

    /// Waits until `count` handlers have arrived.
    func waitForArrivals(_ count: Int) async {
        if arrived < count { await withCheckedContinuation { waitingForArrival.append((count, $0)) } }
    }

    func open() {
        isOpen = true
        for waiting in waitingToPass { waiting.resume() }
        waitingToPass = []
    }
}
