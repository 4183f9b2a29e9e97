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
    /// The memory that is counted, in bytes.
    private(set) var total = 0
    /// The number of responses that were cut.
    private(set) var cutCount = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Counts a response, and returns the descriptors of those to cut.
    mutating func add(_ request: ObjectIdentifier, _ body: WebResponse.Body, on descriptor: Int32) -> [Int32] {
        let response: Sending
        switch body {
        case .bytes(let bytes):
            guard bytes.count > Self.smallBody else { return [] }
            // The server's copy, and the system's.
            response = Sending(
                request: request, descriptor: descriptor, body: nil,
                bytes: bytes.count + min(bytes.count, ListeningSocket.sendBuffer))
        case .shared(let bytes):
            guard bytes.count > Self.smallBody else { return [] }
            let key = ObjectIdentifier(bytes)
            if bodies[key] == nil { total += bytes.count }
            bodies[key, default: (bytes.count, 0)].users += 1
            response = Sending(
                request: request, descriptor: descriptor, body: key,
                bytes: min(bytes.count, ListeningSocket.sendBuffer))
        case .streaming, .truncated: return []
        }
        sending.append(response)
        total += response.bytes
        var surplus: [Int32] = []
        while total > limit, sending.count > 1 {
            surplus.append(sending[0].descriptor)
            cutCount += 1
            forget(at: 0)
        }
        return surplus
    }

    /// Forgets a response that is sent, or whose client has disconnected.
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
