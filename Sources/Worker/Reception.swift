import Events
import FoundationEssentials
import Networking
import Operations
import ZeroMQ

/// Takes requests in from both endpoints: reads them, puts them in the inbox and, once they are on disk, in the queue.
struct Reception: Sendable {
    let journal: Journal
    let queue: RequestQueue
    let logger: Logger
    let metrics: WorkerMetrics
    let clock: WallClock
    var door = Door.open()
    var crashPoints = CrashPoints.none

    /// Takes in a batch of messages in one transaction, and says for each why it was refused, or under which id it runs.
    func receive(_ messages: [Message]) async -> [Result<RequestID, Refusal>] {
        guard !messages.isEmpty else { return [] }
        crashPoints.reach(.received)
        var results: [Result<RequestID, Refusal>?] = []
        var offers: [(index: Int, offer: Journal.Offer)] = []
        var waiting = queue.lengths.byClient
        for (index, message) in messages.enumerated() {
            do throws(Refusal) {
                let client = door.client(message.sender)
                offers.append((index, try offer(message, of: client, waiting: waiting[client, default: 0])))
                waiting[client, default: 0] += 1
                results.append(nil)
            } catch {
                results.append(.failure(error))
            }
        }
        for ((index, offer), result) in zip(offers, await take(offers.map(\.offer))) {
            results[index] = result.mapError { Refusal(failure: $0, frames: offer.frames) }
        }
        for case .failure(let refusal) in results { metrics.refuse(because: refusal.failure) }
        return results.compactMap(\.self)
    }

    private func offer(_ message: Message, of client: String, waiting: Int) throws(Refusal) -> Journal.Offer {
        // Before it is read, and without an end in the log: whoever asks for too much is not to fill that either.
        let command = message.frames.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        if let failure = door.refusal(of: command, from: message.sender) ?? door.refusal(ofOneMoreThan: waiting) {
            throw Refusal(failure: failure, frames: nil)
        }
        let frames: RequestFrames
        do throws(Failure) {
            frames = try RequestFrames(message.frames)
        } catch {
            throw Refusal(failure: error, frames: nil)
        }
        do throws(Failure) {
            let request = try Request(frames, at: clock.now())
            let id = request.id ?? .random()
            let enclosures = try frames.enclosures()
            let kept = frames.withoutEnclosures(digests: enclosures.images.map { SHA256.hexDigest(of: $0) })
            return Journal.Offer(
                accepted: AcceptedRequest(id: id, request: request, client: client), frames: kept,
                enclosures: enclosures)
        } catch {
            throw Refusal(failure: error, frames: frames)
        }
    }

    /// Puts readable requests on disk, and in the queue what the log cannot answer.
    func take(_ offers: [Journal.Offer]) async -> [Result<RequestID, Failure>] {
        guard !offers.isEmpty else { return [] }
        do {
            let answers = try await journal.offer(offers) { admission in
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
                    .failure(Failure(.conflict, "this id was used for another request", field: "id"))
                case .overloaded:
                    .failure(Failure(.overloaded, "\(journal.inbox.limit) requests are waiting", retryAfter: 60))
                }
            }
        } catch {
            logger.error("requests cannot be stored", [.count: offers.count, .error: "\(error)"])
            let failure = Failure(.internal, "the request could not be stored")
            return offers.map { _ in .failure(failure) }
        }
    }
}

/// Why a message was not taken as a request.
struct Refusal: Error {
    let failure: Failure
    /// What was sent, if it could be read as far as that.
    let frames: RequestFrames?
}
