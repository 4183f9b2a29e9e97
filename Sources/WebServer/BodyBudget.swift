/// The memory of requests' bodies, from a request's head, which announces the size, until its response is sent.
///
/// A body that does not fit is refused, unless it is alone: then it is as large as the server allows. Small bodies do not
/// count, so that who fills the budget keeps no ordinary request out.
struct BodyBudget {
    private let limit: Int
    private var bodies: [ObjectIdentifier: Int] = [:]
    private var total = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Counts the body of a request; false if there is no memory for it.
    mutating func admit(_ request: ObjectIdentifier, _ bytes: Int) -> Bool {
        guard bytes > QueuedBytes.smallBody else { return true }
        guard bodies.isEmpty || bytes <= limit - total else { return false }
        bodies[request] = bytes
        total += bytes
        return true
    }

    /// Forgets the body of a request, if it is counted.
    mutating func remove(_ request: ObjectIdentifier) {
        total -= bodies.removeValue(forKey: request) ?? 0
    }
}
