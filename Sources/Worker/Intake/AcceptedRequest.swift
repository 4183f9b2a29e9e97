import Contract

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

    /// Throws `badRequest` if a client gave an id of the worker's own.
    func checkForeign() throws(ContractError) {
        guard isOwn else { return }
        throw ContractError(
            .badRequest,
            "ids that begin with \(ScheduleService.prefix) or \(BackfillService.prefix) are the worker's own",
            field: "id")
    }
}

/// A request that is in the inbox, or is about to be stored there.
struct AcceptedRequest: Hashable, Sendable {
    /// The id that the client gave, or a random one.
    let id: RequestID
    let request: Request
    var origin = RequestOrigin.client
    /// The client that sent it, if it was accepted since the process started; limits are counted by it.
    var client: String?
    /// How often it may have been begun by earlier runs of the worker; 0 if it was accepted in this one.
    var tries = 0

    /// The part of a day's calls that it may use.
    var quotaShare: QuotaShare {
        switch request.priority {
        case .backfill: .backfill
        // By the id, because that is in the inbox, too. A client that takes such an id only has less.
        case .live: id.description.hasPrefix(RequestID.visitorPrefix) ? .visitors : .live
        }
    }
}

/// A request on its way into the inbox.
struct IntakeItem: Sendable {
    let accepted: AcceptedRequest
    /// What the client sent, with digests in place of attachments.
    let frames: RequestFrames
    var attachments = Attachments.none
}

/// A fire-and-forget request that was rejected; only an event can report its failure.
struct RejectedRequest: Sendable {
    let id: RequestID
    let topic: RequestTopic
    let body: String
    let error: ContractError
}

/// Why a message was not accepted as a request.
struct RejectionError: Error {
    let error: ContractError
    /// What was sent, if its frames could be read.
    let frames: RequestFrames?
}
