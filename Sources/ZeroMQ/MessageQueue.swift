/// Messages in their order, in the bursts in which they were queued: none is moved on its way, however many wait.
struct MessageQueue: Sendable {
    private var bursts: ArraySlice<ArraySlice<Message>> = []

    var isEmpty: Bool { bursts.isEmpty }

    var count: Int { bursts.reduce(0) { $0 + $1.count } }

    /// Adds messages at the end.
    mutating func append(_ burst: ArraySlice<Message>) {
        if !burst.isEmpty { bursts.append(burst) }
    }

    /// Removes messages from the front, at most so many, as long as `isDone` says so of each; returns how many.
    mutating func removeFirst(atMost limit: Int, while isDone: (Message) -> Bool) -> Int {
        var removed = 0
        while removed < limit, let burst = bursts.first {
            let done = burst.prefix(limit - removed).prefix(while: isDone).count
            removed += done
            guard done == burst.count else {
                bursts[bursts.startIndex].removeFirst(done)
                break
            }
            bursts[bursts.startIndex] = []  // gives back its memory, which the slice would keep
            bursts.removeFirst()
        }
        return removed
    }
}
