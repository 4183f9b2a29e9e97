import Concurrency
import Contract
import Crypto
import FoundationEssentials
import Health
import Messaging
import OpenMarket
import ServiceRuntime
import Upstreams
import ZeroMQ

/// Accepts requests from both endpoints, the schedule and the backfill: parses them and stores them in the inbox. The
/// commit puts the stored requests in the queue; see ``CommitHandler``.
struct RequestIntake: Sendable {
    let store: WorkerStore
    let queue: RequestQueue
    /// Limited, because every request finds the same disk.
    let logger: RateLimitedLogger
    let metrics: WorkerMetrics
    let runtime: Runtime
    var requestGuard = RequestGuard.unrestricted()
    var limits = IntakeLimits.none

    /// Accepts a batch of messages in one transaction; returns for each its request's id, or why it was rejected.
    func receive(_ messages: [Message]) async -> [Result<RequestID, RejectionError>] {
        guard !messages.isEmpty else { return [] }
        runtime.failPoints.reach(.received)
        var results: [Result<RequestID, RejectionError>?] = []
        var items: [(index: Int, item: IntakeItem)] = []
        var waiting = queue.lengths.byClient
        for (index, message) in messages.enumerated() {
            do throws(RejectionError) {
                let client = requestGuard.client(message.peer)
                items.append((index, try parse(message, of: client, waiting: waiting[client, default: 0])))
                waiting[client, default: 0] += 1
                results.append(nil)
            } catch {
                results.append(.failure(error))
            }
        }
        for ((index, item), result) in zip(items, await accept(items.map(\.item))) {
            results[index] = result.mapError { RejectionError(error: $0, frames: item.frames) }
            if case .success(let id) = result {
                requestGuard.recordAccepted(item.accepted.request.topic, id, from: messages[index].peer)
            }
        }
        for case .failure(let rejection) in results { metrics.countRejected(rejection.error) }
        return results.compactMap(\.self)
    }

    /// Stores requests in one transaction; returns for each its id, or why it was not accepted.
    func accept(_ items: [IntakeItem]) async -> [Result<RequestID, ContractError>] {
        guard !items.isEmpty else { return [] }
        do {
            let results = try await store.write { try RequestInbox($0).accept(items) }
            return zip(items, results).map { item, result in
                result.failure(limit: store.inboxLimit).map(Result.failure) ?? .success(item.accepted.id)
            }
        } catch {
            logger.error(
                "requests cannot be stored and are refused; clients may send them again",
                [.count: items.count, .error: "\(error)"])
            let failure = ContractError(error, "the request could not be stored")
            return items.map { _ in .failure(failure) }
        }
    }

    private func parse(_ message: Message, of client: String, waiting: Int) throws(RejectionError) -> IntakeItem {
        // Before the message is parsed and without an event: a client over its limits must not fill the log either.
        let command = Command.name(in: message.frames)
        let bytes = message.frames.reduce(0) { $0 + $1.count }
        if let error = requestGuard.refusal(of: command, from: message.peer)
            ?? requestGuard.refusal(withQueued: waiting) ?? limits.diskRefusal()
            ?? limits.refusal(of: bytes, from: client, at: runtime.wallClock.now())
        {
            throw RejectionError(error: error, frames: nil)
        }
        var frames: RequestFrames?
        do throws(ContractError) {
            let sent = try RequestFrames(message.frames)
            frames = sent
            let request = try Request(sent, at: runtime.wallClock.now())
            try request.id?.checkForeign()
            let attachments = try sent.attachments()
            do throws(ProductValidationError) {
                // By their headers, so that what no decoder may see is not accepted.
                for (index, image) in attachments.images.enumerated() { try ProductImage.check(image, index: index) }
            } catch {
                throw ContractError(error)
            }
            let stored = sent.withoutAttachments(digests: attachments.images.map { SHA256.hexDigest(of: $0) })
            let accepted = AcceptedRequest(id: request.id ?? .random(), request: request, client: client)
            return IntakeItem(accepted: accepted, frames: stored, attachments: attachments)
        } catch {
            throw RejectionError(error: error, frames: frames)
        }
    }
}

/// Where a request comes from; the raw values are stored in the inbox's table.
enum RequestOrigin: Int, Sendable {
    case client = 0
    case schedule = 1
    case backfill = 2
}

extension RequestID {
    /// Whether it is an id of the schedule or the backfill, both of which look in the inbox for what they have requested.
    /// No client gives one: with it, a client would answer for them.
    var isOwn: Bool {
        [ScheduleService.prefix, BackfillService.prefix].contains(where: description.hasPrefix)
    }

    func checkForeign() throws(ContractError) {
        guard isOwn else { return }
        throw ContractError(
            .badRequest,
            "ids that begin with \(ScheduleService.prefix) or \(BackfillService.prefix) are the worker's own",
            field: "id")
    }
}

struct AcceptedRequest: Hashable, Sendable {
    let id: RequestID
    let request: Request
    var origin = RequestOrigin.client
    /// The client that sent it, if it was accepted since the process started; limits are counted by it.
    var client: String?
    /// How often it may have been begun by earlier runs of the worker; 0 if it was accepted in this one.
    var tries = 0

    var quotaShare: QuotaShare {
        switch request.priority {
        case .backfill: .backfill
        // By the id, because that is in the inbox, too. A client that takes such an id only has less.
        case .live: id.description.hasPrefix(RequestID.visitorPrefix) ? .visitors : .live
        }
    }
}

struct IntakeItem: Sendable {
    let accepted: AcceptedRequest
    /// What the client sent, with digests in place of attachments.
    let frames: RequestFrames
    var attachments = Attachments.none

    var isOrder: Bool {
        if case .productOrder = accepted.request.target { true } else { false }
    }
}

extension IntakeItem {
    /// Makes the item of a request of the worker's own, under the request's id; nil if it has none.
    init?(_ request: Request, origin: RequestOrigin) {
        guard let id = request.id else { return nil }
        self.init(accepted: AcceptedRequest(id: id, request: request, origin: origin), frames: request.frames)
    }
}

/// A fire-and-forget request that was rejected; only an event can report its failure.
struct RejectedRequest: Sendable {
    let id: RequestID
    let topic: RequestTopic
    let body: String
    let error: ContractError
}

struct RejectionError: Error {
    let error: ContractError
    /// What was sent, if its frames could be read.
    let frames: RequestFrames?
}

// MARK: - Limits

/// Bounds what clients' requests put on the disk: a share of bytes a day for each client, and a reserve of free disk.
/// The shares are counted in memory: a restart begins the day anew.
struct IntakeLimits: Sendable {
    /// What a request puts on the disk beside its own bytes: an inbox row, its two events, and their indexes.
    static let requestCost = 2 << 10
    /// The number of clients whose shares are counted; bounded because clients without a key choose their addresses.
    private static let clientLimit = 10_000
    private struct Day: Sendable {
        var number = 0
        var bytes: [String: Int] = [:]
    }

    private struct Disk: Sendable {
        var lastCheck: Duration?
        var isFull = false
    }

    /// The bytes that one client's requests may put on the disk in a day (UTC).
    let share: Int
    /// The bytes of the disk of `folder` that requests leave free.
    let reserve: Int
    let folder: String
    var largestPart = 0.05
    private let age = Stopwatch(ContinuousClock())
    private let day = Locked(Day())
    private let disk = Locked(Disk())

    static let none = IntakeLimits(share: .max, reserve: 0, folder: "/")

    /// Counts a request of a client; returns its refusal if the client's share of the day is used up.
    func refusal(of bytes: Int, from client: String, at now: Date) -> ContractError? {
        let seconds = Int(now.timeIntervalSince1970)
        let isWithin = day.withLock { day in
            if day.number != seconds / 86_400 || day.bytes.count >= Self.clientLimit && day.bytes[client] == nil {
                day = Day(number: seconds / 86_400)
            }
            let used = day.bytes[client, default: 0]
            guard used <= share else { return false }
            day.bytes[client] = used + bytes + Self.requestCost
            return true
        }
        guard !isWithin else { return nil }
        return ContractError(
            .overloaded, "the client's requests have used its \(share >> 20) MiB of today",
            retryAfter: 86_400 - seconds % 86_400)
    }

    /// The refusal of all requests while the disk has no more than the reserve; nil if it has. Looks once a second.
    func diskRefusal() -> ContractError? {
        guard reserve > 0 else { return nil }
        let now = age.elapsed
        let isFull = disk.withLock { disk in
            if disk.lastCheck.map({ now - $0 >= .seconds(1) }) ?? true {
                disk = Disk(lastCheck: now, isFull: isBelowReserve)
            }
            return disk.isFull
        }
        guard isFull else { return nil }
        return ContractError(
            .internal, "the disk is nearly full; what is left is for requests that were accepted", retryAfter: 60)
    }

    /// The health check that fails while requests are refused because the disk has no more than the reserve.
    var diskCheck: HealthCheck {
        HealthCheck("disk") {
            diskRefusal() == nil
                ? nil : "disk: nearly full, requests are refused; free space, or see MARQUEE_DISK_RESERVE_MB"
        }
    }

    private var isBelowReserve: Bool {
        // If the system does not answer, the writes fail by themselves.
        DiskSpace(ofFolder: folder)?.isBelow(reserve: Double(reserve), largestPart: largestPart) ?? false
    }
}
