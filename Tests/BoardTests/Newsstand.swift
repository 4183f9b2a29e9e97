import BoxOffice
import Contract
import EventStore
import Foundation
import JSONCoding
import Messaging
import Networking
import Operations
import SQLite
import TestSupport
import Testing
import ZeroMQ

@testable import Board

/// A worker's and a notifier's outside, with real logs, and a real board that can be started, stopped and asked.
struct Newsstand {
    let folder: TemporaryFolder
    let configuration: Configuration
    /// A time at which 2024-06-04 is long past.
    let now = Date(timeIntervalSince1970: 1_795_242_180)

    /// What a board logged that has ended.
    let log = Monitor("")

    init(_ more: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        var environment = ["MARQUEE_DATA": folder.path, "MARQUEE_BOARD_HTTP": "127.0.0.1:0"]
        environment.merge(more) { $1 }
        for name in ["REQUESTS", "COMMANDS", "EVENTS", "ALERTS", "ALERT_COMMANDS"] {
            environment["MARQUEE_\(name)"] = "ipc://\(folder.file(name))"
        }
        configuration = try Configuration(environment: environment)
    }

    /// Runs a board while `body` asks it, from when it has read all of the worker's log; returns what `body` does.
    func open<Value: Sendable>(
        _ options: BoardProcess.Options = BoardProcess.Options(), pauses: any Clock<Duration> = ContinuousClock(),
        _ body: (_ address: String) async throws -> Value
    ) async throws -> Value {
        let (lines, line) = AsyncStream<String>.makeStream()
        let log = log
        let logger = Logger(label: "board", wallClock: .system) { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            log.withLock { $0 += text }
            line.yield(text)
        }
        var options = options
        options.webFolder = try Self.webFolder
        let board = BoardProcess(
            configuration, options: options, logger: logger, clock: WallClock { [now] in now }, pauses: pauses)
        let (ends, end) = AsyncStream<Void>.makeStream()
        async let run: Void = board.run { for await _ in ends {} }
        var address: String?
        for await text in lines {
            if let range = text.firstRange(of: "http=") {
                address = String(text[range.upperBound...].prefix { $0 != " " && $0 != "\n" })
            }
            if text.contains("all events are read"), text.contains("process=worker") { break }
        }
        let value: Result<Value, any Error>
        do {
            value = .success(try await body(try #require(address)))
        } catch {
            value = .failure(error)
        }
        end.finish()
        try await run
        return try value.get()
    }

    /// The page's files as they stand in the sources.
    static var webFolder: String {
        get throws {
            let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            return sources.deletingLastPathComponent().path + "/Sources/Board/Web"
        }
    }

    /// A process that publishes what it is told: the worker, or with `isNotifier` the notifier.
    func press(isNotifier: Bool = false, log: String = "press") async throws -> Press {
        let name = isNotifier ? "notifier" : "worker"
        return try await Press(
            folder.file("\(log)-\(name).db"), source: "/marquee/\(name)",
            events: (isNotifier ? configuration.alerts : configuration.events).description,
            commands: (isNotifier ? configuration.alertCommands : configuration.commands).description)
    }

    /// What readers see of a process: its log, its events, and an answer to each of its commands.
    final class Press: Sendable {
        private let io: IOThread
        private let database: Database
        private let log: EventLog
        private let publisher: Publisher
        private let work: Task<Void, Never>
        private let requests = Monitor<[[[UInt8]]]>([])
        /// The requests that were accepted, frame by frame, their topics first.
        var accepted: [[[UInt8]]] { requests.withLock { $0 } }

        init(_ path: String, source: String, events: String, commands: String) async throws {
            let database = try Database(path: path, schema: Schema(EventLog.schema))
            let (log, positions) = try await database.read { connection in
                let log = try EventLog(source: source, in: connection)
                return (log, try log.positions(in: connection))
            }
            io = try IOThread()
            let router = try await io.open(.router, bind: [commands])
            let publisher = Publisher(try await io.open(.publisher, bind: [events]), of: log, positions: positions)
            let answers = LogCommandHandler(log: log, database: database) { .status(["version": "test"]) }
            self.database = database
            self.log = log
            self.publisher = publisher
            let requests = requests
            work = Task {
                async let beating: Void = publisher.run(now: { Date() }, clock: ContinuousClock())
                await CommandServer(router).run { commands in
                    var replies: [Reply] = []
                    for command in commands {
                        if command.name.hasPrefix("fetch.") || command.name.hasPrefix("product.") {
                            requests.withLock { $0.append(command.frames) }
                            replies.append(.accepted(Self.id(in: command)))
                        } else {
                            replies += await answers.answer([command])
                        }
                    }
                    return replies
                }
                await beating
            }
        }

        private static func id(in command: Command) -> RequestID {
            let body = String(decoding: command.frames.dropFirst().first ?? [], as: UTF8.self)
            return Request.id(in: RequestFrames(topic: command.name, body: body)) ?? .random()
        }

        /// Logs and publishes an event.
        func publish(_ topic: Topic, _ data: some Encodable & Sendable) async throws {
            try await publish(EventDraft(topic, encoding: data))
        }

        func publish(_ topic: Topic, _ data: some JSONWritable & Sendable) async throws {
            try await publish(EventDraft(topic, data: data.json))
        }

        private func publish(_ draft: EventDraft) async throws {
            publisher.publish(try await database.write { [log] in try log.append([draft], at: Date(), in: $0) })
        }

        func end() async {
            await io.shutdown()
            await work.value
            await database.close()
        }
    }
}
