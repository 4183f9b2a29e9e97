import Contract
import FoundationEssentials
import Messaging
import Networking
import OpenMarket
import Operations
import Upstreams
import ZeroMQ

/// Accepts requests from both endpoints, the schedule and the backfill: parses them and stores them in the inbox.
///
/// The commit puts the stored requests in the queue; see ``CommitHandler``.
struct RequestIntake: Sendable {
    let store: WorkerStore
    let queue: RequestQueue
    /// Limited, because every request finds the same disk.
    let logger: RateLimitedLogger
    let metrics: WorkerMetrics
    let wallClock: WallClock
    var requestGuard = RequestGuard.unrestricted()
    var limits = IntakeLimits.none
    var failPoints = FailPoints.none

    /// Accepts a batch of messages in one transaction.
    ///
    /// - Returns: For each message the id of its request, or why it was rejected, in the order of the messages.
    func receive(_ messages: [Message]) async -> [Result<RequestID, RejectionError>] {
        guard !messages.isEmpty else { return [] }
        failPoints.reach(.received)
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

    /// Stores requests in one transaction.
    ///
    /// - Returns: For each item its id, or why it was not accepted, in the order of the items.
    func accept(_ items: [IntakeItem]) async -> [Result<RequestID, ContractError>] {
        guard !items.isEmpty else { return [] }
        do {
            return zip(items, try await store.accept(items)).map { item, outcome in
                outcome.failure(limit: store.inbox.limit).map(Result.failure) ?? .success(item.accepted.id)
            }
        } catch {
            logger.error(
                "requests cannot be stored and are refused; clients may send them again",
                [.count: items.count, .error: "\(error)"])
            let failure = ContractError(.internal, "the request could not be stored")
            return items.map { _ in .failure(failure) }
        }
    }

    /// Checks images by their headers, so that what no decoder may see is not accepted.
    private func check(_ images: [[UInt8]]) throws(ContractError) {
        do throws(ProductValidationError) {
            for (index, image) in images.enumerated() { try ProductImage.check(image, index: index) }
        } catch {
            throw ContractError(error)
        }
    }

    private func parse(_ message: Message, of client: String, waiting: Int) throws(RejectionError) -> IntakeItem {
        // Before the message is parsed and without an event: a client over its limits must not fill the log either.
        let command = Command.name(in: message.frames)
        let bytes = message.frames.reduce(0) { $0 + $1.count }
        if let error = requestGuard.refusal(of: command, from: message.peer)
            ?? requestGuard.refusal(withQueued: waiting) ?? limits.diskRefusal()
            ?? limits.refusal(of: bytes, from: client, at: wallClock.now())
        {
            throw RejectionError(error: error, frames: nil)
        }
        let frames: RequestFrames
        do throws(ContractError) {
            frames = try RequestFrames(message.frames)
        } catch {
            throw RejectionError(error: error, frames: nil)
        }
        do throws(ContractError) {
            let request = try Request(frames, at: wallClock.now())
            try request.id?.checkForeign()
            let attachments = try frames.attachments()
            try check(attachments.images)
            let stored = frames.withoutAttachments(digests: attachments.images.map { SHA256.hexDigest(of: $0) })
            let accepted = AcceptedRequest(id: request.id ?? .random(), request: request, client: client)
            return IntakeItem(accepted: accepted, frames: stored, attachments: attachments)
        } catch {
            throw RejectionError(error: error, frames: frames)
        }
    }
}
