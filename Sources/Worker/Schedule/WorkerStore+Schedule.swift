import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import Operations
import SQLite

extension WorkerStore {
    /// What the log, the checks and the inbox know about a subject, and the attempts at the look that is due.
    func knowledge(
        of subject: ScheduledChart, at now: Date, in connection: Connection
    ) throws -> Schedule.Knowledge {
        var known = Schedule.Knowledge()
        known.isKnown = try log.latest(subject.topic, in: connection) != nil
        known.checked = try FreshnessTable.last(subject.topic, in: connection)
        if let look = subject.due(at: now) {
            known.attempts = try attempts(at: "schedule.\(subject.name).\(look.word)", in: connection)
        }
        return known
    }

    /// The attempts that have this id, and those that have it with a number after it.
    private func attempts(at id: String, in connection: Connection) throws -> [Schedule.OrderIntent] {
        try inbox.requests(underID: id, in: connection).map { request in
            let outcome: Schedule.OrderIntent.Outcome =
                switch request.state {
                case .waiting: .waiting
                case .done: .done
                case .failed: .failed(try failureCode(of: request.id, in: connection))
                }
            return Schedule.OrderIntent(time: request.acceptedAt, outcome: outcome)
        }
    }

    /// The code that a failed request ended with.
    func failureCode(of id: RequestID, in connection: Connection) throws -> ContractError.Code {
        try log.latest(.request(.failed, id), in: connection)?.data(as: RequestFailed.self).error.code ?? .internal
    }

    /// The films of a chart whose facts or poster are not known, or were confirmed too long ago.
    func staleMovies(
        of topic: Topic, withPosters: Bool, at now: Date, in connection: Connection
    ) throws -> [MovieCode] {
        guard let chart = try log.latest(topic, in: connection)?.data(as: Chart.self) else { return [] }
        return try chart.entries.map(\.movieCode).filter { code in
            let topics: [Topic] = withPosters ? [.movie(code), .poster(code)] : [.movie(code)]
            return try topics.contains { topic in
                let age = try FreshnessTable.last(topic, in: connection).map { now.timeIntervalSince($0) }
                return age.map { !(0..<Freshness.movie).contains($0) } ?? true
            }
        }
    }

    /// The newest day whose national chart is known.
    func newestChart() async throws -> KoreanDate? {
        let topic = try await database.read { try FreshnessTable.newest("ranking.day.all.", in: $0) }
        guard case .ranking(let day, _) = topic else { return nil }
        return day
    }

    /// Tells, once, that a chart is late; returns whether that was news.
    func tellLate(_ anomaly: Anomaly) async throws -> Bool {
        let now = clock.now()
        return try await database.write { connection in
            guard try log.event(id: anomaly.id, in: connection) == nil else { return false }
            let draft = try EventDraft(.anomaly(anomaly.kind, anomaly.date), id: anomaly.id, encoding: anomaly)
            let events = try log.append([draft], at: now, in: connection)
            connection.afterCommit { publish(events) }
            return true
        }
    }
}

extension RequestInbox {
    /// The requests that have an id, or that id, a dot and more, in the order in which they came.
    func requests(
        underID id: String, in connection: Connection
    ) throws -> [(id: RequestID, acceptedAt: Date, state: State)] {
        // The slash is the character after the dot.
        try connection.query(
            "select id, accepted_at, state from inbox where id = ? or (id > ? and id < ?) order by number",
            id, "\(id).", "\(id)/", as: RequestID.self, String.self, Int.self
        ).map { id, time, state in
            (id, try Date(time, strategy: .iso8601), State(rawValue: state) ?? .failed)
        }
    }
}
