import Concurrency
import Contract
import WebServer

/// Answers that follow from the read model: one is made for all who ask for it at the same time.
///
/// Heavy answers are made two at a time, and a few wait; a client that asks for more gets 503 with `Retry-After`. That a
/// client has an answer already is known without making it.
///
/// See docs/decisions/strangers-at-the-board.md.
final class SharedResponses: Sendable {
    /// Too many heavy answers are being made, for this client or for all.
    struct BusyError: Error {}

    private struct Key: Hashable {
        let address: String
        let version: Int
    }

    /// How many heavy answers are made at once.
    static let heavyAtOnce = 2
    /// How many heavy answers are made or wait for it.
    static let heavyLimit = 16
    /// How many of them may be for one client.
    static let heavyPerClient = 4

    /// The answer for what is not known yet. It is a success, because browsers report every other status as a fault.
    private static let unknown = Array(#"{"known":false}"#.utf8)

    private let model: ReadModel
    // The version of a read model says nothing after a restart.
    private let instance = String(UInt64.random(in: .min ... .max), radix: 36)
    private let flight = SingleFlight<Key, Result<CacheableBody, any Error>>(cancelsAbandonedRuns: false)
    private let permits = AsyncSemaphore(permits: heavyAtOnce)
    /// Heavy answers that are being made or wait for it, by the network of the client who asked first.
    private let heavy = Locked<[ClientAddress?: Int]>([:])

    init(of model: ReadModel) {
        self.model = model
    }

    /// How many requests wait for an answer.
    var waitingCount: Int { flight.callerCount }

    /// Answers a request with what `make` returns, now or for another request that is under way.
    ///
    /// - Parameters:
    ///   - address: Names the answer. It must follow from what was read of the request, and not be its text, which can be
    ///     written in many ways.
    ///   - isHeavy: Whether many of these at once would keep the processors busy.
    ///   - make: Returns the answer's bytes; nil if the read model does not know it yet.
    /// - Throws: ``BusyError``, or what `make` throws.
    func response(
        to request: WebRequest, _ address: String, contentType: String = .json, isHeavy: Bool = false,
        headers: [(name: String, value: String)] = [], make: @escaping @Sendable () async throws -> [UInt8]?
    ) async throws -> WebResponse {
        // Read before the data: an answer is at least as new as its version.
        let version = model.version
        let tag = "W/\"\(instance)-\(version)\""
        if request.hasCached(tag) { return .notModified(tag, contentType: contentType, headers: headers) }
        @Sendable func body() async throws -> CacheableBody {
            let bytes = try await make()
            return CacheableBody(
                bytes ?? Self.unknown, contentType: bytes == nil ? .json : contentType, entityTag: tag)
        }
        let answer = try await flight.run(Key(address: address, version: version)) { [self] in
            do {
                return .success(isHeavy ? try await withHeavyPermit(for: request, body) : try await body())
            } catch {
                return .failure(error)
            }
        }.get()
        return answer.response(to: request, headers: headers)
    }

    private func withHeavyPermit(
        for request: WebRequest, _ make: @Sendable () async throws -> CacheableBody
    ) async throws -> CacheableBody {
        let network = request.client?.network
        let isAdmitted = heavy.withLock { heavy in
            let own = heavy[network, default: 0]
            guard own < Self.heavyPerClient, heavy.values.reduce(0, +) < Self.heavyLimit else { return false }
            heavy[network] = own + 1
            return true
        }
        guard isAdmitted else { throw BusyError() }
        defer {
            heavy.withLock { heavy in
                let own = heavy[network, default: 0]
                heavy[network] = own > 1 ? own - 1 : nil
            }
        }
        return try await permits.withPermit {
            let answer = try await make()
            // Here, where few do it at once.
            if request.acceptsGzip { _ = answer.gzipped }
            return answer
        }
    }
}
