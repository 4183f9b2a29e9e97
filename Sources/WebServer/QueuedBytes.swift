/// The memory of responses that are being sent, and which of them to cut when it is more than a limit.
///
/// A body that many responses share counts once, and each response counts what the system may hold of it for a client
/// that does not read. Beyond the limit those that have been sending for the longest time are cut: a client that reads is
/// done before them.
///
/// See docs/decisions/strangers-at-the-board.md.
struct QueuedBytes {
    private struct Sending {
        let request: ObjectIdentifier
        let descriptor: Int32
        let body: ObjectIdentifier?
        let bytes: Int
    }

    /// The size of a small body, which does not count: it fits into what each connection costs anyway.
    static let smallBody = 4 << 10

    private let limit: Int
    /// The responses in the order in which they were queued.
    private var sending: [Sending] = []
    private var bodies: [ObjectIdentifier: (bytes: Int, users: Int)] = [:]
    private(set) var total = 0
    private(set) var cutCount = 0

    init(limit: Int) {
        self.limit = limit
    }

    mutating func add(_ request: ObjectIdentifier, _ body: WebResponse.Body, on descriptor: Int32) -> [Int32] {
        let (count, key): (Int, ObjectIdentifier?)
        switch body {
        case .bytes(let bytes): (count, key) = (bytes.count, nil)
        case .shared(let bytes): (count, key) = (bytes.count, ObjectIdentifier(bytes))
        case .streaming, .truncated: return []
        }
        guard count > Self.smallBody else { return [] }
        if let key {
            if bodies[key] == nil { total += count }
            bodies[key, default: (count, 0)].users += 1
        }
        // The system's copy, and the server's, unless other responses share it.
        let copies = min(count, ListeningSocket.sendBuffer) + (key == nil ? count : 0)
        sending.append(Sending(request: request, descriptor: descriptor, body: key, bytes: copies))
        total += copies
        var surplus: [Int32] = []
        while total > limit, sending.count > 1 {
            surplus.append(sending[0].descriptor)
            cutCount += 1
            forget(at: 0)
        }
        return surplus
    }

    mutating func remove(_ request: ObjectIdentifier) {
        if let index = sending.firstIndex(where: { $0.request == request }) { forget(at: index) }
    }

    private mutating func forget(at index: Int) {
        let response = sending.remove(at: index)
        total -= response.bytes
        guard let key = response.body, let body = bodies[key] else { return }
        bodies[key] = body.users > 1 ? (body.bytes, body.users - 1) : nil
        if body.users == 1 { total -= body.bytes }
    }
}

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

    mutating func remove(_ request: ObjectIdentifier) {
        total -= bodies.removeValue(forKey: request) ?? 0
    }
}
