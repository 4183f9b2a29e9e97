import BoxOffice
import Concurrency
import Contract
import EventStore
import Foundation
import JSONCoding
import Operations
import SQLite
import TestSupport
import Testing

@testable import Notifier

/// A notifier's database with its log and outbox, couriers that can be started and killed, and a clock that stands still.
final class PostOffice: Sendable {
    let folder: TemporaryFolder
    let clock: ManualClock
    let database: Database
    let log: EventLog
    let outbox: Outbox
    /// What the couriers and the log have to say.
    let lines = Monitor<[String]>([])
    private let wakeSignals: [String: WakeSignal]

    /// Opens a database, or the one of another office whose couriers were killed.
    init(_ recipients: [ConfiguredSink], after other: PostOffice? = nil, start: String = "2026-11-21 12:00")
        async throws
    {
        folder = try other?.folder ?? TemporaryFolder()
        clock = other?.clock ?? ManualClock(start: korea(start))
        if let other { await other.database.close() }
        let database = try Database(path: folder.file("notifier.db"), schema: NotifierStore.schema)
        let log = try await database.read { try EventLog(source: "/marquee/notifier", in: $0) }
        let wakeSignals = Dictionary(uniqueKeysWithValues: recipients.map { ($0.name, WakeSignal()) })
        self.database = database
        self.log = log
        self.wakeSignals = wakeSignals
        outbox = Outbox(log: log, recipients: recipients, news: { wakeSignals[$0]?.signal() })
    }

    /// Logs alerts about films, each by its letter, and puts them into the outbox.
    func alert(
        _ movies: String, rule: AlertRule = .lead, day: Int = 20, severity: Alert.Severity = .info,
        retracts: String? = nil
    ) async throws {
        let alerts = movies.map { letter in
            let title = String(letter)
            return Alert(
                rule: rule, date: KoreanDate(dayNumber: 20_758 + day), movieCode: .letter(letter), title: title,
                rank: 1,
                previousRank: nil, change: nil, severity: severity, values: [:],
                text: Alert.Text(ko: "〈\(title)〉 1위", en: "\(title) leads"),
                evidence: [.init(stream: .ranking, sequence: .zero)], retracts: retracts)
        }
        let ids = movies.map { letter in (retracts.map { "back." + $0 }) ?? "\(rule).\(letter).\(day)" }
        let drafts = try zip(alerts, ids).map { alert, id in
            EventDraft(try #require(alert.topic), id: id, data: alert.json)
        }
        let now = clock.date
        try await database.write { [log, outbox] connection in
            let events = try log.append(drafts, at: now, in: connection)
            let delivered = events.indices.map { OutboundAlert(alerts[$0], id: ids[$0], event: events[$0]) }
            try outbox.enqueue(delivered, at: now, in: connection)
        }
    }

    /// A courier for a recipient, working until its task is cancelled.
    func courier(_ recipient: ConfiguredSink) -> SinkWorker {
        SinkWorker(
            recipient: recipient, outbox: outbox, database: database,
            wakeSignal: wakeSignals[recipient.name] ?? WakeSignal(),
            logger: Logger(label: "notifier", level: .debug) { [lines] line in
                lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
            },
            metrics: DeliveryMetrics(Metrics(), sinks: outbox.recipients.map(\.name)) { [:] }, clock: clock,
            wall: WallClock { [clock] in clock.date }, fraction: { 0 })
    }

    /// Runs the couriers of all recipients while `body` runs, and kills them.
    func open(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for recipient in outbox.recipients {
                let courier = courier(recipient)
                tasks.addTask { await courier.run() }
            }
            try await body()
            tasks.cancelAll()
        }
    }

    /// What the table says of a sink's deliveries: alert, state, attempts.
    func deliveries(_ sink: String) async throws -> [String] {
        try await database.read { connection in
            try connection.query(
                "select alert, state, attempts from delivery where sink = ? order by number", sink, as: String.self,
                Int.self, Int.self
            ).map { alert, state, attempts in
                "\(alert) \(Outbox.State(rawValue: state).map { "\($0)" } ?? "?") \(attempts)"
            }
        }
    }
}

extension MovieCode {
    /// The code of a film that is known by a letter.
    static func letter(_ letter: Character) -> MovieCode {
        guard let code = MovieCode(String(repeating: letter, count: 8)) else { fatalError("\(letter) makes no code") }
        return code
    }
}

/// A sink that says what it is told to, and remembers what it got.
final class Mailbox: Sink {
    let secrets = ["hush"]
    /// The keys of the letters that came, in order.
    let arrivals: AsyncStream<String>
    private let arrive: AsyncStream<String>.Continuation
    private let state: Monitor<(answers: [SinkResponse.Outcome], letters: [SinkMessage])>

    /// Makes a sink that answers so, one after the other, and then takes everything.
    init(_ answers: SinkResponse.Outcome...) {
        state = Monitor((answers, []))
        (arrivals, arrive) = AsyncStream.makeStream()
    }

    /// The letters that came.
    var letters: [SinkMessage] { state.withLock(\.letters) }
    /// The keys of the letters that came.
    var keys: [String] { letters.map(\.key) }

    /// Waits for so many letters, of those that were not waited for yet.
    func receive(_ count: Int) async {
        var left = count
        for await _ in arrivals {
            left -= 1
            if left == 0 { return }
        }
    }

    func send(_ letter: SinkMessage, at now: Date) async -> SinkResponse {
        let verdict = state.withLock { state in
            state.letters.append(letter)
            return state.answers.isEmpty ? .taken : state.answers.removeFirst()
        }
        arrive.yield(letter.key)
        return SinkResponse(verdict: verdict, text: "as told, with a hush\n")
    }
}

/// A sink that never answers.
struct Silence: Sink {
    let secrets: [String] = []

    func send(_ letter: SinkMessage, at now: Date) async -> SinkResponse {
        for await _ in AsyncStream<Void>.makeStream().stream {}
        return SinkResponse(verdict: .failed(), text: "cancelled")
    }
}
