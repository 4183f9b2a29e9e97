import BoxOffice
import Concurrency
import Contract
import EventStore
import Foundation
import JSONCoding
import ServiceRuntime
import Storage
import TestSupport
import Testing
import Text
import YAML

@testable import Notifier

/// A notifier's database with its log and outbox, workers that can be started and killed, and a clock that stands still.
final class DeliveryHarness: Sendable {
    let folder: TemporaryFolder
    let clock: ManualClock
    let database: Database
    let log: EventLog
    let outbox: Outbox
    /// The log lines of the workers.
    let lines = Monitor<[String]>([])
    private let clients = SinkClients()
    private let wakeSignals: [String: WakeSignal]

    /// Opens a database, or the one of another harness whose workers were killed.
    init(_ sinks: [ConfiguredSink], after other: DeliveryHarness? = nil, start: String = "2026-11-21 12:00")
        async throws
    {
        folder = try other?.folder ?? TemporaryFolder()
        clock = other?.clock ?? ManualClock(start: koreanTime(start))
        if let other { await other.database.close() }
        let database = try Database(path: folder.file("notifier.db"), schema: NotifierStore.schema)
        let log = try await database.read { try EventLog(source: "/marquee/notifier", in: $0) }
        let wakeSignals = Dictionary(uniqueKeysWithValues: sinks.map { ($0.name, WakeSignal()) })
        self.database = database
        self.log = log
        self.wakeSignals = wakeSignals
        outbox = Outbox(log: log, sinks: sinks, onNewDeliveries: { wakeSignals[$0]?.signal() })
    }

    /// Logs alerts about movies, each by its letter, and puts them into the outbox.
    func alert(
        _ movies: String, rule: AlertRule = "lead", day: Int = 20, severity: Alert.Severity = .info,
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
            let delivered = events.indices.map { OutboundAlert(id: ids[$0], body: events[$0].body, data: alerts[$0]) }
            try outbox.enqueue(delivered, at: now, in: connection)
        }
    }

    /// Makes a worker for a sink.
    func worker(_ sink: ConfiguredSink) -> SinkWorker {
        SinkWorker(
            sink: sink, outbox: outbox, database: database, clients: clients, board: nil,
            wakeSignal: wakeSignals[sink.name] ?? WakeSignal(),
            metrics: DeliveryMetrics(Metrics()) { [:] },
            runtime: Runtime(
                logger: Logger(label: "notifier", level: .debug) { [lines] line in
                    lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
                }, wallClock: WallClock { [clock] in clock.date }, clock: clock), fraction: { 0 })
    }

    /// Runs the workers of all sinks while `body` runs, and kills them.
    func open(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for sink in outbox.sinks {
                let worker = self.worker(sink)
                tasks.addTask { await worker.run() }
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
    /// The code of a movie that is known by a letter.
    static func letter(_ letter: Character) -> MovieCode {
        guard let code = MovieCode(String(repeating: letter, count: 8)) else { fatalError("\(letter) makes no code") }
        return code
    }
}

/// A sink that responds as told and records the messages that it gets.
final class RecordingSink: Sink {
    static let kind = "recording"
    static let keys: [String] = []

    /// The keys of the messages, as they come.
    let arrivals: AsyncStream<String>
    private let arrive: AsyncStream<String>.Continuation
    private let state: Monitor<(answers: [SinkResponse.Outcome], messages: [SinkMessage])>

    /// Makes a sink that gives these answers, one after the other, and then accepts everything.
    init(_ answers: SinkResponse.Outcome...) {
        state = Monitor((answers, []))
        (arrivals, arrive) = AsyncStream.makeStream()
    }

    convenience init?(_ fields: inout SinkFields) {
        self.init()
    }

    /// The recorded messages.
    var messages: [SinkMessage] { state.withLock(\.messages) }
    /// The keys of the recorded messages.
    var keys: [String] { messages.map(\.key) }

    /// Waits until `count` more messages have come.
    func receive(_ count: Int) async {
        var left = count
        for await _ in arrivals {
            left -= 1
            if left == 0 { return }
        }
    }

    func address(in language: Language) -> String { "here" }

    func send(_ message: SinkMessage, at now: Date, by clients: SinkClients) async -> SinkResponse {
        let outcome = state.withLock { state in
            state.messages.append(message)
            return state.answers.isEmpty ? .delivered : state.answers.removeFirst()
        }
        arrive.yield(message.key)
        return SinkResponse(outcome: outcome, text: "as told, with a hush\n")
    }
}

/// A sink that never answers.
struct SilentSink: Sink {
    static let kind = "silent"
    static let keys: [String] = []

    init() {}
    init(_ fields: inout SinkFields) {}

    func address(in language: Language) -> String { "nowhere" }

    func send(_ message: SinkMessage, at now: Date, by clients: SinkClients) async -> SinkResponse {
        for await _ in AsyncStream<Void>.makeStream().stream {}
        return SinkResponse(outcome: .failed(), text: "cancelled")
    }
}

extension ConfiguredSink {
    /// Reads a sink of `kinds` from its keys, such as `kind: file, path: x`.
    init(reading keys: String, of kinds: [any Sink.Type] = kinds) throws {
        var diagnostics = ConfigurationDiagnosticsError()
        let section = try #require(try Node.read(Array("editor: {\(keys)}".utf8), file: "rules.yml", &diagnostics))
        let sinks = ConfiguredSink.read(section, of: kinds, &diagnostics)
        self = try #require(sinks.first, "\(diagnostics)")
    }
}

extension Alert {
    /// Makes an alert of a day that does not matter.
    init(
        _ text: Text, rule: AlertRule = "lead", movieCode: MovieCode? = nil, title: String? = nil,
        severity: Severity = .info, retracts: String? = nil
    ) {
        self.init(
            rule: rule, date: .firstChart, movieCode: movieCode, title: title, rank: nil, previousRank: nil,
            change: nil, severity: severity, values: [:], text: text, evidence: [], retracts: retracts)
    }
}
