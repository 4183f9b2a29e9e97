import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import Health
import Operations
import SQLite

/// The worker's memory: log, inbox and what was checked when, in one database, changed in whole transactions.
///
/// Events are handed to `publish` right after the commit that made them, in the order of the log.
struct WorkerStore: Sendable {
    /// A request that cannot be done and, having come without a way back, can only be told so by an event.
    struct RejectedRequest: Sendable {
        let id: RequestID
        let topic: RequestTopic
        let body: String
        let failure: ContractError
    }

    static let schema = Schema(
        EventLog.schema, RequestInbox.schema, FreshnessTable.schema, QuotaLedger.schema, BackfillStore.schema,
        UpstreamBinding.schema,
        ChartViews.schema, HealthCheck.schema, AttachmentTable.schema, OrderIntent.schema)

    let database: Database
    let log: EventLog
    let inbox: RequestInbox
    let clock: WallClock
    let publish: @Sendable ([LoggedEvent]) -> Void
    /// Called for each request that has ended, once its end is published.
    var onEnd: @Sendable (RequestOrigin) -> Void = { _ in }
    var failPoints = FailPoints.none
    let recentCharts = ChartCache()

    /// Ends requests that were refused, all in one transaction; one whose id is taken has an end of its own.
    func refuse(_ requests: [RejectedRequest]) async throws {
        let now = clock.now()
        try await database.write { connection in
            let new = try requests.filter { try inbox.refuse($0, at: now, in: connection) }
            let drafts = new.map { refused in
                let topic = refused.topic.rawValue
                let fields = RequestFields(of: RequestFrames(topic: topic, body: refused.body))
                return EventDraft(failed: refused.id, topic: topic, request: fields, refused.failure)
            }
            let events = try log.append(drafts, at: now, in: connection)
            publish(events, ending: .client, in: connection)
        }
    }

    /// Writes what a fetcher found, what is hard to believe of it, and the request's end, if it has not ended before.
    ///
    /// `askedAt` is from when the findings are, at the earliest. Returns the anomalies that were not told before; nil if there
    /// is nothing to end.
    @discardableResult
    func settle(
        _ accepted: AcceptedRequest, with result: FetchResult, askedAt: Date
    ) async throws -> [Anomaly]? {
        try await database.write { connection in
            guard try end(accepted, as: .done, in: connection) else { return nil }
            if case .productOrder = accepted.request.target { try FreshnessTable.forgetProductPages(in: connection) }
            var events = result.logged
            var anomalies: [Anomaly] = []
            for fact in result.fetched {
                let event = try record(fact, foundBy: accepted, askedAt: askedAt, anomalies: &anomalies, in: connection)
                events.append(event)
            }
            let draft = EventDraft(done: accepted, events: events, result)
            let (told, new) = try tell(anomalies, foundBy: accepted, in: connection)
            events += told
            events += try log.append([draft], at: clock.now(), in: connection)
            publish(events, ending: accepted.origin, in: connection)
            return new
        }
    }

    /// Writes that a request failed, if it has not ended before, and returns the anomalies in that; nil if there is nothing to
    /// end.
    @discardableResult
    func settle(_ accepted: AcceptedRequest, with failure: ContractError) async throws -> [Anomaly]? {
        let request = accepted.request
        let now = clock.now()
        return try await database.write { connection in
            guard try end(accepted, as: .failed, in: connection) else { return nil }
            let draft = EventDraft(
                failed: accepted.id, topic: request.topic.rawValue, request: request.fields,
                priority: request.priority, failure)
            let anomalies = try self.anomalies(in: failure, of: request, at: now, in: connection)
            let (told, new) = try tell(anomalies, foundBy: accepted, in: connection)
            let events = try told + log.append([draft], at: now, in: connection)
            publish(events, ending: accepted.origin, in: connection)
            return new
        }
    }

    /// The requests that were accepted and have not ended; one that cannot be read any more ends here.
    func takeUp() async throws -> [AcceptedRequest] {
        var requests: [AcceptedRequest] = []
        for row in try await database.read({ connection in try inbox.waiting(in: connection) }) {
            let frames = RequestFrames(topic: row.topic, body: row.request)
            do {
                // Its day was in range when it was accepted, whatever the clock says now.
                let request = try Request(frames, at: .distantFuture)
                requests.append(AcceptedRequest(id: row.id, request: request, origin: row.origin))
            } catch {
                try await fail(row.id, topic: row.topic, RequestFields(of: frames), origin: row.origin, error)
            }
        }
        return requests
    }

    /// How many requests were accepted and have not ended.
    func waitingCount() async throws -> Int {
        try await database.read { connection in try inbox.waitingCount(in: connection) }
    }

    private func fail(
        _ id: RequestID, topic: String, _ fields: RequestFields, origin: RequestOrigin, _ failure: ContractError
    ) async throws {
        let now = clock.now()
        try await database.write { connection in
            guard try inbox.settle(id, as: .failed, in: connection) else { return }
            try forgetEnclosures(of: id, in: connection)
            let draft = EventDraft(failed: id, topic: topic, request: fields, failure)
            let events = try log.append([draft], at: now, in: connection)
            publish(events, ending: origin, in: connection)
        }
    }

    /// Ends a request and forgets what came with it; false if it has ended before.
    private func end(_ accepted: AcceptedRequest, as state: RequestInbox.State, in connection: Connection) throws
        -> Bool
    {
        guard try inbox.settle(accepted.id, as: state, in: connection) else { return false }
        if accepted.request.topic.isAboutProducts { try forgetEnclosures(of: accepted.id, in: connection) }
        return true
    }

    /// Forgets what came with a request about products, and that it may have been sent to the shop.
    private func forgetEnclosures(of id: RequestID, in connection: Connection) throws {
        try AttachmentTable.forget(id, in: connection)
        try OrderIntent.forget(id, in: connection)
    }

    /// Has events that end requests of an origin published once the write is on disk.
    private func publish(_ events: [LoggedEvent], ending origin: RequestOrigin, in connection: Connection) {
        failPoints.reach(.settled)
        connection.afterCommit {
            failPoints.reach(.committed)
            publish(events)
            onEnd(origin)
            failPoints.reach(.published)
        }
    }

    /// Appends a fact if it says something new, and returns the event that says it now.
    private func record(
        _ fact: FetchResult.Fact, foundBy accepted: AcceptedRequest, askedAt: Date, anomalies: inout [Anomaly],
        in connection: Connection
    ) throws -> LoggedEvent {
        let now = clock.now()
        let known = try log.latest(fact.topic, in: connection)
        // Another request asked later and was answered sooner: the log is newer than this fact. What is later than now is
        // from before the clock was set back, and no reason to believe nothing until it has caught up.
        if let known, let checked = try FreshnessTable.last(fact.topic, in: connection), askedAt < checked,
            checked <= now
        {
            return known
        }
        try FreshnessTable.note(fact.topic, at: askedAt, in: connection)
        guard let draft = try fact.draft(after: known, foundBy: accepted) else {
            if let known { return known }
            throw ContractError(.internal, "a fact that is not in the log has nothing to say")
        }
        switch fact {
        case .chart(let chart): anomalies += try self.anomalies(in: chart, after: known, in: connection)
        case .weekChart(let chart): anomalies += try self.anomalies(in: chart, after: known, in: connection)
        case .movie, .poster, .productPage, .product, .productRemoved: break
        }
        let event = try log.append([draft], at: now, in: connection)[0]
        if event.stream == .ranking {
            // A later revision is not what was found: it has its number and its corrections.
            recentCharts.keep(known == nil ? fact.chart : nil, toldBy: event)
        }
        return event
    }
}
