import BoxOffice
import Contract
import EventStore
import Foundation
import Imaging
import JSONCoding
import Messaging
import Networking
import ServiceRuntime
import Storage
import TestSupport
import Testing
import ZeroMQ

@testable import Board

/// A board that tests start, stop and send requests to, and publishers with real event logs in the place of worker and
/// notifier.
struct BoardHarness {
    let folder: TemporaryFolder
    let configuration: Configuration
    /// The board's time, long after 2024-06-04.
    let now = Date(timeIntervalSince1970: 1_795_242_180)

    /// Everything that the harness's boards have logged.
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

    /// Starts a board, calls `body` once the board has read all of the worker's log, and stops the board.
    ///
    /// - Returns: What `body` returns.
    func open<Value: Sendable>(
        _ options: BoardProcess.Options = BoardProcess.Options(), clock: any Clock<Duration> = ContinuousClock(),
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
        options.imageDecoder = ImageDecoder(program: BuiltProgram.path, deadline: .seconds(120))
        let board = BoardProcess(
            configuration, options: options,
            runtime: Runtime(logger: logger, wallClock: WallClock { [now] in now }, clock: clock))
        let (ends, end) = AsyncStream<Void>.makeStream()
        async let run: Void = board.run { for await _ in ends {} }
        var address: String?
        for await text in lines {
            if let range = text.firstRange(of: "http=") {
                address = String(text[range.upperBound...].prefix { $0 != " " && $0 != "\n" })
            }
            if text.contains("all events of the log have been read"), text.contains("process=worker") { break }
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

    /// Folder of the page's files in the sources.
    static var webFolder: String {
        get throws {
            let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            return sources.deletingLastPathComponent().path + "/Sources/Board/Web"
        }
    }

    /// Starts a publisher in the place of the worker, or of the notifier.
    ///
    /// - Parameter log: Part of the name of the log's database: another name starts with an empty log.
    func startPublisher(isNotifier: Bool = false, log: String = "publisher") async throws -> LogPublisher {
        let name = isNotifier ? "notifier" : "worker"
        return try await LogPublisher(
            folder.file("\(log)-\(name).db"), source: "/marquee/\(name)",
            events: (isNotifier ? configuration.alerts : configuration.events).description,
            commands: (isNotifier ? configuration.alertCommands : configuration.commands).description)
    }

    /// What clients see of a worker or notifier: an event log, published events, and replies to commands.
    final class LogPublisher: Sendable {
        private let io: IOThread
        private let database: Database
        private let log: EventLog
        private let publisher: Publisher
        private let services: Task<Void, Never>
        private let received = Monitor<[[[UInt8]]]>([])
        /// The frames of each accepted request, its topic first.
        var accepted: [[[UInt8]]] { received.withLock { $0 } }

        init(_ path: String, source: String, events: String, commands: String) async throws {
            let database = try Database(path: path, schema: Schema("test", version: 1, EventLog.tables))
            let (log, positions) = try await database.read { connection in
                let log = try EventLog(source: source, in: connection)
                return (log, try log.positions(in: connection))
            }
            io = try IOThread()
            let router = try await io.open(.router, bind: [commands])
            let publisher = Publisher(try await io.open(.publisher, bind: [events]), of: log, positions: positions)
            let handler = LogHandler(log: log, database: database) { .status(["version": "test"]) }
            self.database = database
            self.log = log
            self.publisher = publisher
            let received = received
            services = Task {
                async let publishing: Void = publisher.run(now: { Date() }, clock: ContinuousClock())
                await CommandServer(router).run { commands in
                    var replies: [Reply] = []
                    for command in commands {
                        if ["fetch.", "product.", "poster"].contains(where: command.name.hasPrefix) {
                            received.withLock { $0.append(command.frames) }
                            replies.append(.accepted(Self.id(in: command)))
                        } else {
                            replies += await handler.answer([command])
                        }
                    }
                    return replies
                }
                await publishing
            }
        }

        private static func id(in command: Command) -> RequestID {
            let body = String(decoding: command.frames.dropFirst().first ?? [], as: UTF8.self)
            return Request.id(in: RequestFrames(topic: command.name, body: body)) ?? .random()
        }

        /// Appends an event to the log, and publishes it.
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
            await services.value
            await database.close()
        }
    }
}
