import Foundation
import TestSupport
import Testing

/// Sandbox, worker and notifier as real processes on free ports, with fresh data.
final class Stage: Sendable {
    /// The built program.
    static let marquee: String = {
        // The test bundle lies beside the program in the build folder.
        let bundle = Bundle.allBundles.map(\.bundlePath).first { $0.hasSuffix(".xctest") }
        let folder = bundle.map { URL(filePath: $0).deletingLastPathComponent().path }
        return (folder ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path) + "/marquee"
    }()
    /// Debian's own Python, which has its own ZeroMQ.
    static let python = "/usr/bin/python3"

    let folder: TemporaryFolder
    let sandbox: Program
    let sandboxAddress: String
    let worker: Program
    let notifier: Program
    /// What a client has to know: the addresses of all sockets, as variables.
    let environment: [String: String]

    /// Starts all three and waits until they are ready.
    init(sandbox sandboxArguments: [String] = [], notifier notifierArguments: [String] = []) async throws {
        folder = try TemporaryFolder()
        var settings = ["MARQUEE_LOG_FORMAT": "json", "MARQUEE_DATA": folder.path]
        sandbox = try Program(
            Self.marquee, ["sandbox"] + sandboxArguments,
            environment: settings.merging(["MARQUEE_SANDBOX_HTTP": "127.0.0.1:0"]) { $1 })
        sandboxAddress = try await Self.ready(sandbox, "sandbox ready")["address", default: ""]
        settings["MARQUEE_KOBIS_URL"] = "http://\(sandboxAddress)/kobisopenapi/webservice/rest"
        settings["MARQUEE_KAKAO_URL"] = "http://\(sandboxAddress)"
        settings["MARQUEE_KOBIS_KEY"] = Self.kobisKey
        settings["MARQUEE_KAKAO_KEY"] = Self.kakaoKey
        settings["MARQUEE_PRIVATE_IMAGES"] = "allow"
        for name in ["REQUESTS", "COMMANDS", "EVENTS", "ALERTS", "ALERT_COMMANDS"] {
            settings["MARQUEE_\(name)"] = "tcp://127.0.0.1:*"
        }
        worker = try Program(Self.marquee, ["worker"], environment: settings)
        let ready = try await Self.ready(worker, "worker ready")
        settings["MARQUEE_REQUESTS"] = ready["requests"]
        settings["MARQUEE_COMMANDS"] = ready["commands"]
        settings["MARQUEE_EVENTS"] = ready["events"]
        notifier = try Program(Self.marquee, ["notifier"] + notifierArguments, environment: settings)
        let notifierReady = try await Self.ready(notifier, "notifier ready")
        settings["MARQUEE_ALERTS"] = notifierReady["alerts"]
        settings["MARQUEE_ALERT_COMMANDS"] = notifierReady["alertCommands"]
        environment = settings
    }

    static let kobisKey = "0123456789abcdef0123456789abcdef"
    static let kakaoKey = "fedcba9876543210fedcba9876543210"

    /// Ends the processes, politely, and expects that they go in peace.
    func end() async {
        for program in [notifier, worker, sandbox] {
            program.signal(SIGTERM)
            let ending = await program.ended()
            #expect(ending.status == 0, "\(ending.errors)")
            #expect(!ending.errors.contains(Self.kobisKey))
            #expect(!ending.errors.contains(Self.kakaoKey))
        }
    }

    /// Runs a script of this folder with Debian's Python.
    func python(_ script: String, _ arguments: String...) async throws -> Program.Ending {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: script).path
        return try await Program.run(Self.python, [path] + arguments, environment: environment)
    }

    /// Runs `marquee` with this stage's addresses.
    func marquee(_ arguments: String...) async throws -> Program.Ending {
        try await Program.run(Self.marquee, arguments, environment: environment)
    }

    private static func ready(_ program: Program, _ message: String) async throws -> [String: String] {
        guard let line = await program.errorLine(containing: message) else {
            let ending = await program.ended()
            throw NotReady(message: "\(message) never came: \(ending.errors)")
        }
        let fields = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
        return fields.compactMapValues { $0 as? String }
    }

    private struct NotReady: Error, CustomStringConvertible {
        let message: String
        var description: String { message }
    }
}
