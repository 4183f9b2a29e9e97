import Concurrency
import Contract
import WebServer

/// Answers that follow from the read model: each is made once for all who ask for it, until the read model changes.
///
/// Heavy answers are made two at a time, and a few wait; a client that asks for more gets 503 with `Retry-After`. That a
/// client has an answer already is known without making it.
///
/// See docs/decisions/strangers-at-the-board.md.
final class ResponseCache: Sendable {
    /// Too many heavy answers are being made, for this client or for all.
    struct BusyError: Error {}

    private struct Key: Hashable {
        let address: String
        let version: Int
    }

    private struct State {
        var version = 0
        var answers: [String: CacheableBody] = [:]
        /// The addresses of the answers, oldest first.
        var order: [String] = []
        var bytes = 0
        /// Heavy answers that are being made or wait for it, by the network of the client who asked first.
        var heavy: [ClientAddress?: Int] = [:]
        var heavyCount = 0
    }

    /// What an answer that is kept costs beside its bytes and its address, in bytes.
    private static let overhead = 1 << 10
    /// How many heavy answers are made at once.
    static let heavyAtOnce = 2
    /// How many heavy answers are made or wait for it.
    static let heavyLimit = 16
    /// How many of them may be for one client.
    static let heavyPerClient = 4

    /// The answer for what is not known yet. It is a success, because browsers report every other status as a fault.
    private static let unknown = Array(#"{"known":false}"#.utf8)

    private let model: ReadModel
    private let limit: Int
    // The version of a read model says nothing after a restart.
    private let instance = String(UInt64.random(in: .min ... .max), radix: 36)
    private let flight = SingleFlight<Key, Result<CacheableBody?, any Error>>(cancelsAbandonedRuns: false)
    private let permits = AsyncSemaphore(permits: heavyAtOnce)
    private let state = Locked(State())

    /// Makes an empty cache.
    ///
    /// - Parameter limit: How many bytes of answers and their addresses are kept, beside those that are being sent.
    init(of model: ReadModel, limit: Int) {
        self.model = model
        self.limit = limit
    }

    /// How many heavy answers are being made or wait for it.
    var heavyCount: Int { state.withLock { $0.heavyCount } }

    var keptCount: Int { state.withLock { $0.answers.count } }

    /// Answers a request with what `make` returns, or with an answer that was made of the same state of the read model.
    ///
    /// - Parameters:
    ///   - address: Names the answer. It must follow from what was read of the request, and not be its text, which can be
    ///     written in many ways.
    ///   - isHeavy: Whether many of these at once would keep the processors busy.
    ///   - isKept: Whether the answer is kept for the next who ask. One to a stranger's own words is not: nobody else asks
    ///     for it, and it takes the place of others.
    ///   - make: Returns the answer's bytes; nil if the read model does not know it yet.
    /// - Throws: ``BusyError``, or what `make` throws.
    func response(
        to request: WebRequest, _ address: String, contentType: String = .json, isHeavy: Bool = false,
        isKept: Bool = true, headers: [(name: String, value: String)] = [],
        make: @escaping @Sendable () async throws -> [UInt8]?
    ) async throws -> WebResponse {
        // Read before the data: an answer is at least as new as its version.
        let version = model.version
        let tag = "W/\"\(instance)-\(version)\""
        if request.hasCached(tag) { return .notModified(tag, contentType: contentType, headers: headers) }
        let key = Key(address: address, version: version)
        let answer = try await answer(key, isHeavy ? request : nil, isKept: isKept) {
            try await make().map { CacheableBody($0, contentType: contentType, entityTag: tag) }
        }
        // Not kept: there are more unknown answers than memory to keep them.
        let unknown = CacheableBody(Self.unknown, contentType: .json, entityTag: tag)
        return (answer ?? unknown).response(to: request, headers: headers)
    }

    private func answer(
        _ key: Key, _ heavy: WebRequest?, isKept: Bool, make: @escaping @Sendable () async throws -> CacheableBody?
    ) async throws -> CacheableBody? {
        if let known = known(key) { return known }
        @Sendable func keep(_ answer: CacheableBody?) -> CacheableBody? {
            if isKept, let answer { self.keep(answer, key) }
            return answer
        }
        let made = try await flight.run(key) { [self] in
            // The run before may have ended since.
            if let known = known(key) { return .success(known) }
            do {
                guard let heavy else { return .success(keep(try await make())) }
                try beginHeavy(for: heavy.client)
                defer { endHeavy(for: heavy.client) }
                return .success(
                    try await permits.withPermit {
                        let answer = try await make()
                        // Here, where few do it at once.
                        if heavy.acceptsGzip { _ = answer?.gzipped }
                        return keep(answer)
                    })
            } catch {
                return .failure(error)
            }
        }
        return try made.get()
    }

    private func known(_ key: Key) -> CacheableBody? {
        state.withLock { $0.version == key.version ? $0.answers[key.address] : nil }
    }

    private func beginHeavy(for client: ClientAddress?) throws(BusyError) {
        let isAdmitted = state.withLock { state in
            let own = state.heavy[client?.network, default: 0]
            guard own < Self.heavyPerClient, state.heavyCount < Self.heavyLimit else { return false }
            state.heavy[client?.network] = own + 1
            state.heavyCount += 1
            return true
        }
        guard isAdmitted else { throw BusyError() }
    }

    private func endHeavy(for client: ClientAddress?) {
        state.withLock { state in
            let own = state.heavy[client?.network, default: 0]
            state.heavy[client?.network] = own > 1 ? own - 1 : nil
            state.heavyCount -= 1
        }
    }

    /// Keeps an answer until the read model changes, or its place is needed.
    private func keep(_ answer: CacheableBody, _ key: Key) {
        let bytes = Self.bytes(of: answer, at: key.address)
        guard bytes <= limit / 2 else { return }
        state.withLock { state in
            if state.version < key.version {
                (state.version, state.answers, state.order, state.bytes) = (key.version, [:], [], 0)
            }
            guard state.version == key.version, state.answers[key.address] == nil else { return }
            state.answers[key.address] = answer
            state.order.append(key.address)
            state.bytes += bytes
            while state.bytes > limit {
                let oldest = state.order.removeFirst()
                if let answer = state.answers.removeValue(forKey: oldest) {
                    state.bytes -= Self.bytes(of: answer, at: oldest)
                }
            }
        }
    }

    /// Returns how many bytes an answer takes while it is kept.
    private static func bytes(of answer: CacheableBody, at address: String) -> Int {
        answer.byteLimit + address.utf8.count + overhead
    }
}
