/// Lets one task after another have its turn, in the order in which they asked.
actor Turn {
    private var isTaken = false
    private var waiting: ArraySlice<CheckedContinuation<Void, Never>> = []

    /// Runs `body` when it is its turn.
    nonisolated func run<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        await take()
        do {
            let value = try await body()
            await give()
            return value
        } catch {
            await give()
            throw error
        }
    }

    private func take() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func give() {
        if let next = waiting.popFirst() { next.resume() } else { isTaken = false }
    }
}
