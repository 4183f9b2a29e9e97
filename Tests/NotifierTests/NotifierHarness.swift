import BoxOffice
import Contract
import EventStore
import Foundation
import JSONCoding
import Messaging
import ServiceRuntime
import Storage
import TestSupport
import Testing
import ZeroMQ

@testable import Notifier

/// A worker's outside, with a real log, and a real notifier that can be started and killed.
struct NotifierHarness {
    let folder: TemporaryFolder
    let began = Date(timeIntervalSince1970: 1_795_242_180)
    private let configuration: Configuration

    init() throws {
        folder = try TemporaryFolder()
        var environment = ["MARQUEE_DATA": folder.path, "MARQUEE_NOTIFIER_HTTP": "127.0.0.1:0"]
        for name in ["REQUESTS", "COMMANDS", "EVENTS", "ALERTS", "ALERT_COMMANDS"] {
            environment["MARQUEE_\(name)"] = "ipc://\(folder.file(name))"
        }
        configuration = try Configuration(environment: environment)
    }

    /// A worker whose log is in the given file.
    func worker(_ name: String = "worker.db") async throws -> Worker {
        try await Worker(
            folder.file(name), events: configuration.events.description, commands: configuration.commands.description)
    }

    /// Runs a notifier until it has published so many alerts in all its life, and returns them in short.
    ///
    /// A notifier that has nothing to say is let run until it has read all that there is; then comes what happens
    /// `meanwhile`, which the database refuses until the notifier has complained, if `isRefused`.
    func alerts(
        _ count: Int, since: KoreanDate? = nil, isRefused: Bool = false, meanwhile: () async throws -> Void = {}
    ) async throws -> [String] {
        let (lines, line) = AsyncStream<String>.makeStream()
        let logger = Logger(label: "notifier", wallClock: .system) { line.yield(String(decoding: $0, as: UTF8.self)) }
        let notifier = NotifierProcess(
            configuration, rules: AlertRules(), since: since,
            runtime: Runtime(logger: logger, wallClock: WallClock { [began] in began }))
        let (ends, end) = AsyncStream<Void>.makeStream()
        async let run: Void = notifier.run { for await _ in ends {} }
        for await text in lines where text.contains("all charts are read") { break }
        if isRefused {
            try alter("create trigger refusal before insert on decision begin select raise(abort, 'no'); end")
        }
        try await meanwhile()
        if isRefused {
            for await text in lines where text.contains("the notifier tries again") { break }
            try alter("drop trigger refusal")
        }
        let io = try IOThread()
        var alerts: [String] = []
        if count > 0 {
            let subscription = try await Subscription(
                io, events: configuration.reachableAlerts, commands: configuration.reachableAlertCommands,
                prefixes: ["alert."], from: nil)
            _ = try await subscription.readBatches { batch -> Bool? in
                for case .event(let event) in batch.items where alerts.count < count { alerts.append(event.id) }
                return alerts.count == count ? true : nil
            }
        }
        await io.shutdown()
        end.finish()
        try await run
        return alerts
    }

    /// Alters the notifier's database from outside.
    private func alter(_ statement: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [
            "-c", "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute(sys.argv[2])", folder.file("notifier.db"),
            statement,
        ]
        try childStart.withLock { _ in try process.run() }
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    /// How far in the worker's log a notifier has stored that it has read.
    func storedSequence() async throws -> UInt64? {
        try await withNotifierStore(in: folder, at: began) { store in
            let alertState = try await store.loadAlertState(rules: AlertRules(), since: nil)
            return alertState.position?.streams[.ranking]?.after.value
        }
    }

    /// All alerts that notifiers have logged.
    func logged() async throws -> [String] {
        let database = try Database(path: folder.file("notifier.db"), schema: NotifierStore.schema)
        let alerts = try await database.read { connection in
            let log = try EventLog(source: "/marquee/notifier", in: connection)
            return try log.events(of: .alert, after: .zero, limit: 5_000, in: connection).events.map { event in
                try Event(topic: event.topic, body: event.body).id
            }
        }
        await database.close()
        return alerts
    }

    /// What a worker's clients see of it.
    final class Worker: Sendable {
        private let io: IOThread
        private let database: Database
        private let log: EventLog
        private let publisher: Publisher
        private let work: Task<Void, Never>

        init(_ path: String, events: String, commands: String) async throws {
            let database = try Database(path: path, schema: Schema("test", version: 1, EventLog.tables))
            let (log, positions) = try await database.read { connection in
                let log = try EventLog(source: "/marquee/worker", in: connection)
                return (log, try log.positions(in: connection))
            }
            io = try IOThread()
            let router = try await io.open(.router, bind: [commands])
            let publisher = Publisher(
                try await io.open(.publisher, bind: [events]), of: log, positions: positions)
            let answers = LogHandler(log: log, database: database) { .status(["well": true]) }
            self.database = database
            self.log = log
            self.publisher = publisher
            work = Task {
                async let beating: Void = publisher.run(now: { Date() }, clock: ContinuousClock())
                await CommandServer(router).run { await answers.answer($0) }
                await beating
            }
        }

        /// Logs and publishes a day's chart, a movie for each letter, N new; one that is lost on its way is only logged.
        func publish(
            _ day: Int, _ titles: String, at time: Date, priority: Request.Priority = .live, isLost: Bool = false
        ) async throws {
            let entries = try titles.enumerated().map { index, title in
                try ChartEntry.movie(String(title), line: index + 1, isNew: title == "N")
            }
            let chart = try SourcedChart.june(day, entries).chart
            let draft = EventDraft(.ranking(day: chart.date, market: .all), priority: priority, data: chart.json)
            let events = try await database.write { [log] in try log.append([draft], at: time, in: $0) }
            if !isLost { publisher.publish(events) }
        }

        func end() async {
            await io.shutdown()
            await work.value
            await database.close()
        }
    }
}

/// Opens a notifier's database, with a clock that stands still, while `body` runs.
func withNotifierStore<Value>(
    in folder: TemporaryFolder, at now: Date, _ body: (NotifierStore) async throws -> Value
) async throws -> Value {
    let database = try Database(path: folder.file("notifier.db"), schema: NotifierStore.schema)
    let log = try await database.read { try EventLog(source: "/marquee/notifier", in: $0) }
    let runtime = Runtime(logger: Logger(label: "notifier"), wallClock: WallClock { now })
    let value = try await body(NotifierStore(database: database, log: log, runtime: runtime) { _ in })
    await database.close()
    return value
}
