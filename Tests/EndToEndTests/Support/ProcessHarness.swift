import BoxOffice
import Concurrency
import Contract
import Foundation
import Messaging
import Networking
import TestSupport
import Testing
import ZeroMQ

/// Runs sandbox, worker and notifier as real processes with empty data, the fixed clock and addresses of their own.
final class ProcessHarness: Sendable {
    /// The roles of the processes.
    enum Role: String, CaseIterable {
        case sandbox
        case worker
        case notifier
    }

    /// The built program.
    static let marquee = builtProducts + "/marquee"
    /// The folder of the built programs; the test bundle is in the same folder.
    static let builtProducts: String = {
        let bundle = Bundle.allBundles.map(\.bundlePath).first { $0.hasSuffix(".xctest") }
        return URL(filePath: bundle ?? CommandLine.arguments[0]).deletingLastPathComponent().path
    }()
    /// The checkout.
    static let checkout = URL(filePath: #filePath).appending(path: "../../../..").standardized.path
    /// Debian's Python, with Debian's pyzmq.
    static let python = "/usr/bin/python3"
    /// The path of KOBIS's daily charts.
    static let dailyCharts = "/kobisopenapi/webservice/rest/boxoffice/searchDailyBoxOfficeList.json"
    /// The locale of commands, whose output follows it.
    static let english = ["LC_ALL": "C"]
    static let kobisKey = "0123456789abcdef0123456789abcdef"
    /// The vendor's identifier in the sandbox's Open Market.
    static let marketIdentifier = "5a4d5a4d-5a4d-4d5a-9d5a-4d5a4d5a4d5a"
    static let marketSecret = "sandbox-secret"
    /// A secret that a test sends; no output or file may contain it.
    static let wrongSecret = "not-the-vendors-secret"
    static let kakaoKey = "fedcba9876543210fedcba9876543210"
    /// The variables with which a command has this machine's clock: the sandbox's header `Date` is from time(), which
    /// the fixed clock leaves alone.
    static let machineClock = ["TEST_CLOCK": "0"]
    /// Settings for sockets with TCP, for tests of clients' addresses and connections that restart nothing.
    static let tcp = variables.mapValues { _ in "tcp://127.0.0.1:*" }
    /// The HTTP ports of harnesses that have ended.
    private static let idlePorts = Locked<[Int]>([])

    let folder: TemporaryFolder
    /// The sandbox's address.
    let sandboxAddress: String
    /// The environment of all processes: addresses, keys and data folder.
    let environment: [String: String]
    private let ports: [Int]
    private let programs: Locked<[Role: Program]>
    private let endedPrograms = Locked<[Program]>([])

    /// Starts all three, and waits until they are ready and the notifier has read the worker's charts.
    ///
    /// All addresses are its own to the end, so that a process can be started again, and nobody answers for an ended one.
    private init(_ arguments: [Role: [String]], _ changes: [String: String]) async throws {
        let folder = try TemporaryFolder()
        let ports = try Role.allCases.map { _ in try Self.idlePorts.withLock { $0.popLast() } ?? reservePort() }
        let http = ports.map { "127.0.0.1:\($0)" }
        var settings = [
            "MARQUEE_LOG_FORMAT": "json", "MARQUEE_LOG_LEVEL": "debug",
            "MARQUEE_PRIVATE_IMAGES": "allow", "MARQUEE_SANDBOX_HTTP": http[0], "MARQUEE_WORKER_HTTP": http[1],
            "MARQUEE_NOTIFIER_HTTP": http[2], "MARQUEE_BOARD_HTTP": "127.0.0.1:0",
            "MARQUEE_KOBIS_URL": "http://\(http[0])/kobisopenapi/webservice/rest",
            "MARQUEE_KAKAO_URL": "http://\(http[0])", "MARQUEE_OPENMARKET_URL": "http://\(http[0])/openmarket/v3",
            "MARQUEE_KOBIS_KEY": Self.kobisKey, "MARQUEE_KAKAO_KEY": Self.kakaoKey,
            "MARQUEE_OPENMARKET_IDENTIFIER": Self.marketIdentifier, "MARQUEE_OPENMARKET_SECRET": Self.marketSecret,
        ]
        settings.merge(Self.sockets(in: folder)) { $1 }
        settings.merge(try await StoredState(in: folder.file("data")).settings) { $1 }
        settings.merge(changes) { $1 }
        var programs: [Role: Program] = [:]
        for role in Role.allCases {
            let program = try Self.start(role, arguments[role] ?? [], settings)
            let ready = try await Self.ready(role, program)
            programs[role] = program
            for (variable, name) in Self.variables { settings[variable] = ready[name] ?? settings[variable] }
        }
        try #require(await programs[.notifier]?.error(containing: "all charts are read") != nil)
        self.folder = folder
        self.ports = ports
        environment = settings
        sandboxAddress = http[0]
        self.programs = Locked(programs)
    }

    /// Starts the processes, runs `body` with an independent client, and stops them. Checks that all exit with status 0,
    /// all events conform to the schemas, and no output or file contains a key.
    static func run(
        _ arguments: [Role: [String]] = [:], settings: [String: String] = [:],
        body: (ProcessHarness, Client) async throws -> Void
    ) async throws {
        let harness = try await ProcessHarness(arguments, settings)
        let client = try await Client(environment: harness.environment)
        try await body(harness, client)
        let events = client.events
        let left = try await client.close()
        #expect(left.status == 0, "\(left.errors)")
        for role in Role.allCases.reversed() { await harness.end(role) }
        idlePorts.withLock { $0 += harness.ports }
        if !events.isEmpty { try await harness.check(events) }
        try await harness.state.dump(to: harness.folder.file("database.sql"))
        try harness.expectNoSecrets(in: left.output)
    }

    /// What worker and notifier keep.
    var state: StoredState { StoredState(of: environment) }

    /// Makes an empty state for other processes than the harness's.
    func otherState() async throws -> StoredState { try await StoredState(in: folder.file("other")) }

    /// The running process of a role.
    subscript(role: Role) -> Program {
        get throws { try #require(programs.withLock { $0[role] }) }
    }

    /// Ends a process by a signal, and starts it again with the same settings and data; in between calls `whenEnded`.
    func restart(
        _ role: Role, by signal: Int32, changes: [String: String] = [:], whenEnded: () async throws -> Void = {}
    ) async throws {
        let program = try self[role]
        program.signal(signal)
        _ = await program.ended()
        try await whenEnded()
        endedPrograms.withLock { $0.append(program) }
        let next = try Self.start(role, [], environment.merging(changes) { _, new in new })
        _ = try await Self.ready(role, next)
        if role == .notifier { try #require(await next.error(containing: "all charts are read") != nil) }
        programs.withLock { $0[role] = next }
    }

    /// Ends a process by a signal, and checks that its status is 0.
    func end(_ role: Role, by signal: Int32 = SIGTERM) async {
        guard let program = programs.withLock({ $0.removeValue(forKey: role) }) else { return }
        program.signal(signal)
        let ending = await program.ended()
        #expect(ending.status == 0, "\(role): \(ending.errors.suffix(3))")
        endedPrograms.withLock { $0.append(program) }
    }

    /// Sets the sandbox's faults to exactly these switches.
    func setFaults(_ switches: JSON) async throws {
        _ = try await control(.put, switches)
    }

    /// Returns the number of requests for a path that the sandbox has had.
    func requests(for path: String) async throws -> Int {
        try await requests { $0 == path }
    }

    /// Returns the number of requests for matching paths that the sandbox has had.
    func requests(where isCounted: (String) -> Bool) async throws -> Int {
        guard case .object(let counts) = try await control(.get)["requests"] else { return 0 }
        return counts.filter { isCounted($0.key) }.compactMap { $0.value.number.map { Int($0) } }.reduce(0, +)
    }

    /// Waits until the sandbox has had `count` requests for a path, by polling `/control`.
    func waitForRequests(_ count: Int, at path: String) async throws {
        try await waitUntil("\(count) requests for \(path)") {
            try await requests(for: path)
        } is: {
            $0 >= count
        }
    }

    /// Runs `marquee` with this harness's settings.
    func marquee(_ arguments: String..., changes: [String: String] = [:]) async throws -> Program.Ending {
        let program = try start(arguments, changes: changes)
        return try await program.finish()
    }

    /// Starts `marquee` with this harness's settings.
    func start(_ arguments: [String], changes: [String: String] = [:]) throws -> Program {
        let program = try Program(
            Self.marquee, arguments, environment: environment.merging(Self.english) { $1 }.merging(changes) { $1 })
        endedPrograms.withLock { $0.append(program) }
        return program
    }

    /// Runs `marquee` on a terminal of its own, on which `text` is typed; standard error is among its output.
    func onTerminal(
        _ arguments: [String], typing text: String, changes: [String: String] = [:]
    ) async throws -> Program.Ending {
        let program = try await Program.onTerminal(
            [Self.marquee] + arguments, environment: environment.merging(Self.english) { $1 }.merging(changes) { $1 })
        try program.type(text)
        return try await program.finish()
    }

    /// The environment variables of sockets, and their names in ready lines.
    private static let variables = [
        "MARQUEE_REQUESTS": "requests", "MARQUEE_COMMANDS": "commands", "MARQUEE_EVENTS": "events",
        "MARQUEE_ALERTS": "alerts", "MARQUEE_ALERT_COMMANDS": "alertCommands",
    ]

    private static func start(_ role: Role, _ arguments: [String], _ settings: [String: String]) throws -> Program {
        try Program(marquee, [role.rawValue] + arguments, environment: settings)
    }

    /// Waits until a process is ready, and returns the fields of its ready line.
    private static func ready(_ role: Role, _ program: Program) async throws -> [String: String] {
        let line = await program.error(containing: "\(role) ready")
        let fields = try JSONDecoder().decode(
            [String: JSON].self, from: Data(try #require(line, "\(program.written.errors)").utf8))
        return fields.compactMapValues(\.text)
    }

    private func control(_ method: HTTPRequest.Method, _ body: JSON? = nil) async throws -> JSON {
        let client = HTTPClient(retry: RetryPolicy(attempts: 1, attemptTimeout: patience))
        let request = HTTPRequest(
            "http://\(sandboxAddress)/control", method: method, body: try body.map { Data(try $0.line.utf8) },
            deadline: patience)
        let endpoint = APICall<JSON>(service: "sandbox", request: request) { response throws(UpstreamError) in
            if let failure = response.failure(of: "sandbox") { throw failure }
            return try response.decode(of: "sandbox")
        }
        let state = try await client.send(endpoint)
        await client.shutdown()
        return state
    }

    /// Validates events with docs/schemas/check.
    private func check(_ events: [Client.Event]) async throws {
        let checker = try Program("\(Self.checkout)/docs/schemas/check")
        for event in events { try checker.type("\(event.topic) \(event.text)\n") }
        let verdict = try await checker.finish()
        #expect(verdict.status == 0, "\(verdict.output.prefix(5)) \(verdict.errors.suffix(3))")
    }

    /// Checks that no output and no file contains a key or a secret.
    private func expectNoSecrets(in clientOutput: [String]) throws {
        let written = endedPrograms.withLock { $0.map(\.written) }.flatMap { $0.output + $0.errors } + clientOutput
        for key in [Self.kobisKey, Self.kakaoKey, Self.marketIdentifier, Self.marketSecret, Self.wrongSecret] {
            #expect(!written.contains { $0.contains(key) })
            let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
            for file in files {
                // Sockets and folders cannot be read as files.
                guard let content = FileManager.default.contents(atPath: folder.file(file)) else { continue }
                #expect(content.range(of: Data(key.utf8)) == nil, "\(file)")
            }
        }
    }
}

extension ProcessHarness {
    /// Settings for sockets that are files in a folder.
    static func sockets(in folder: TemporaryFolder) -> [String: String] {
        variables.mapValues { "ipc://\(folder.file($0))" }
    }

    /// Returns the path of a file in the data folder.
    func data(_ name: String = "") -> String {
        environment["MARQUEE_DATA", default: ""] + (name.isEmpty ? "" : "/\(name)")
    }

    /// Requests days one after the other, and returns when the last is done.
    func request(_ days: [KoreanDate]) async throws {
        try await request(days.map { Request(.day($0, .all)) }, atOnce: 1)
    }

    /// Sends requests in their order, so many at once, and returns when all are done.
    func request(_ requests: [Request], atOnce count: Int) async throws {
        let io = try IOThread()
        let client = RequestClient(
            io, commands: [environment["MARQUEE_COMMANDS", default: ""]],
            events: [environment["MARQUEE_EVENTS", default: ""]])
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (index, request) in requests.enumerated() {
                if index >= count { try await tasks.next() }
                tasks.addTask {
                    let outcome = try await client.perform(request, within: patience)
                    guard case .done = outcome else { throw UnexpectedOutcomeError(request: request, outcome: outcome) }
                }
            }
            try await tasks.waitForAll()
        }
        await io.shutdown()
    }

    private struct UnexpectedOutcomeError: Error {
        let request: Request
        let outcome: RequestClient.Outcome
    }

    /// Returns the output of `marquee` with these arguments; it must succeed.
    func lines(_ arguments: String...) async throws -> [String] {
        let ending = try await Program.run(
            Self.marquee, arguments, environment: environment.merging(Self.english) { $1 })
        guard ending.status == 0 else { throw ExitStatusError(arguments: arguments, ending: ending) }
        return ending.output
    }

    private struct ExitStatusError: Error {
        let arguments: [String]
        let ending: Program.Ending
    }
}
