import Contract
import FoundationEssentials
import Messaging
import Networking
import Operations
import ZeroMQ

/// Takes requests in from both endpoints: reads them, puts them in the inbox and, once they are on disk, in the queue.
struct RequestIntake: Sendable {
    let store: WorkerStore
    let queue: RequestQueue
    let logger: Logger
    let metrics: WorkerMetrics
    let clock: WallClock
    var door = RequestGuard.unrestricted()
    var failPoints = FailPoints.none

    /// Takes in a batch of messages in one transaction, and says for each why it was refused, or under which id it runs.
    func receive(_ messages: [Message]) async -> [Result<RequestID, RejectionError>] {
        guard !messages.isEmpty else { return [] }
        failPoints.reach(.received)
        var results: [Result<RequestID, RejectionError>?] = []
        var offers: [(index: Int, offer: WorkerStore.IntakeItem)] = []
        var waiting = queue.lengths.byClient
        for (index, message) in messages.enumerated() {
            do throws(RejectionError) {
                let client = door.client(message.peer)
                offers.append((index, try offer(message, of: client, waiting: waiting[client, default: 0])))
                waiting[client, default: 0] += 1
                results.append(nil)
            } catch {
                results.append(.failure(error))
            }
        }
        for ((index, offer), result) in zip(offers, await take(offers.map(\.offer))) {
            results[index] = result.mapError { RejectionError(failure: $0, frames: offer.frames) }
        }
        for case .failure(let refusal) in results { metrics.refuse(because: refusal.failure) }
        return results.compactMap(\.self)
    }

    private func offer(_ message: Message, of client: String, waiting: Int) throws(RejectionError)
        -> WorkerStore.IntakeItem
    {
        // Before it is read, and without an end in the log: whoever asks for too much is not to fill that either.
        let command = message.frames.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        if let failure = door.refusal(of: command, from: message.peer) ?? door.refusal(withQueued: waiting) {
            throw RejectionError(failure: failure, frames: nil)
        }
        let frames: RequestFrames
        do throws(ContractError) {
            frames = try RequestFrames(message.frames)
        } catch {
            throw RejectionError(failure: error, frames: nil)
        }
        do throws(ContractError) {
            let request = try Request(frames, at: clock.now())
            let id = request.id ?? .random()
            let attachments = try frames.attachments()
            let kept = frames.withoutAttachments(digests: attachments.images.map { SHA256.hexDigest(of: $0) })
            return WorkerStore.IntakeItem(
                accepted: AcceptedRequest(id: id, request: request, client: client), frames: kept,
                attachments: attachments)
        } catch {
            throw RejectionError(failure: error, frames: frames)
        }
    }

    /// Puts readable requests on disk, and in the queue what the log cannot answer.
    func take(_ offers: [WorkerStore.IntakeItem]) async -> [Result<RequestID, ContractError>] {
        guard !offers.isEmpty else { return [] }
        do {
            let answers = try await store.offer(offers) { admission in
                metrics.accept((admission.answered + admission.waiting).map(\.id))
                for answered in admission.answered {
                    metrics.finish(answered.id, from: .log)
                    logger.debug("request done", [.request: answered.id, .status: RequestDone.Source.log.rawValue])
                }
                queue.add(admission.waiting)
            }
            return zip(offers, answers).map { offer, answer in
                switch answer {
                case .accepted, .known: .success(offer.accepted.id)
                case .conflict:
                    .failure(ContractError(.conflict, "this id was used for another request", field: "id"))
                case .overloaded:
                    .failure(ContractError(.overloaded, "\(store.inbox.limit) requests are waiting", retryAfter: 60))
                }
            }
        } catch {
            logger.error("requests cannot be stored", [.count: offers.count, .error: "\(error)"])
            let failure = ContractError(.internal, "the request could not be stored")
            return offers.map { _ in .failure(failure) }
        }
    }
}

/// Why a message was not taken as a request.
struct RejectionError: Error {
    let failure: ContractError
    /// What was sent, if it could be read as far as that.
    let frames: RequestFrames?
}
