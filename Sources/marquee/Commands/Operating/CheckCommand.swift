import Concurrency
import Contract
import Messaging
import Networking
import Notifier
import Operations
import Upstreams
import YAML
import ZeroMQ

/// `marquee check`
struct CheckCommand: Subcommand {
    static let usage = Usage(
        name: "check", arguments: "[rules FILE]",
        summary: "Checks the configuration, the processes and the upstreams, one line each.",
        details: """
            Uses no call of any quota. Fails if something that the worker needs is missing.

            With `rules FILE` it checks only that rule file, and prints a line for each mistake: its position, what is
            wrong and what was expected. It fails if there is any.
            """)

    private let ruleFile: String?

    init(_ arguments: Arguments) throws(UsageError) {
        switch (arguments.positional.first, arguments.positional.count) {
        case (nil, _): ruleFile = nil
        case ("rules", 2): ruleFile = arguments.positional[1]
        case ("rules", 1): throw UsageError("check rules needs a FILE")
        default: throw UsageError("check takes no arguments, or: rules FILE")
        }
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        if let ruleFile { return read(ruleFile) }
        var report = Report()
        checkFiles(configuration, &report)
        await checkUpstreams(configuration, &report)
        try await checkProcesses(configuration, &report)
        for line in report.lines { Console.print(line) }
        return report.isGood ? .done : .failed
    }

    /// Checks the data folder and the rule file.
    private func checkFiles(_ configuration: Configuration, _ report: inout Report) {
        report.add(true, "configuration", "read")
        do {
            report.add(true, "data folder", try DataFolder(configuration.dataFolder).path)
        } catch {
            report.add(false, "data folder", "\(error)")
        }
        if let path = configuration.rules { report.add(read(path) == .done, "rules", path) }
    }

    /// Checks the keys and the reachability of the upstreams. Only KOBIS is required.
    private func checkUpstreams(_ configuration: Configuration, _ report: inout Report) async {
        let upstreams = [("KOBIS", configuration.kobis), ("Kakao", configuration.kakao)]
        for (name, upstream) in upstreams {
            let variable = "MARQUEE_\(name.uppercased())_KEY"
            report.add(
                upstream.key != nil || name != "KOBIS", "\(name) key",
                upstream.key == nil ? "none; set \(variable) or \(variable)_FILE" : "present")
        }
        let client = HTTPClient(retry: .never)
        for (name, upstream) in upstreams {
            let isReachable = await isReachable(upstream.url, with: client)
            if name == "KOBIS" || upstream.key != nil {
                report.add(isReachable, "\(name) service", upstream.url)
            } else {
                report.addOptional(isReachable, "\(name) service", upstream.url)
            }
        }
        await checkOpenMarket(configuration.openMarket, with: client, &report)
        await client.shutdown()
    }

    /// Checks whether worker and notifier answer; neither is required.
    private func checkProcesses(_ configuration: Configuration, _ report: inout Report) async throws {
        let io = try configuration.makeClientThread()
        for (name, address) in [
            ("worker", configuration.commands.reachable), ("notifier", configuration.alertCommands.reachable),
        ] {
            report.addOptional(await answers(at: address, io), name, address)
        }
        await io.shutdown()
    }

    /// Reads a rule file and prints its rules, or its mistakes.
    private func read(_ path: String) -> ExitStatus {
        do throws(ConfigurationDiagnosticsError) {
            let words = try RuleFile.read(path: path).rules.names.map(\.rawValue)
            Console.print("\(path): \(words.isEmpty ? "no rules" : words.joined(separator: ", "))")
            return .done
        } catch {
            for diagnostic in error.diagnostics { Console.printError("\(diagnostic)") }
            return .failed
        }
    }

    /// Checks the Open Market and the vendor's credentials, if it is configured; the worker needs neither.
    private func checkOpenMarket(
        _ openMarket: Configuration.OpenMarket, with client: HTTPClient, _ report: inout Report
    ) async {
        guard let url = openMarket.url else { return }
        // All generations have the same health check.
        let api = OpenMarketAPI(url: url, generation: .v3, identifier: "")
        // An error means the same for the report as a negative answer.
        let isHealthy = (try? await client.send(api.health())) ?? false
        report.addOptional(isHealthy, "Open Market", url)
        let isVendor = openMarket.identifier != nil && openMarket.secret != nil
        report.add(
            true, "Open Market vendor",
            isVendor ? "present" : "none; products can be read, but not registered, changed or removed")
    }

    /// Whether a server answers. The request has no key, so that it does not count towards a quota.
    private func isReachable(_ url: String, with client: HTTPClient) async -> Bool {
        let request = HTTPRequest(url, method: .head, deadline: .seconds(5))
        let endpoint = Endpoint<Bool>(service: "check", request: request) { _ in true }
        // Every error means that it is not reachable.
        return (try? await client.send(endpoint)) ?? false
    }

    private func answers(at address: String, _ io: IOThread) async -> Bool {
        do {
            let client = try await CommandClient(io, address: address)
            let reply = try await withDeadline(.seconds(1), orThrow: ResponseTimeoutError(address: address)) {
                try await client.ask("status")
            }
            await client.close()
            return reply.word == "status"
        } catch {
            // Every error means that it does not answer.
            return false
        }
    }

    /// The result of all checks.
    private struct Report {
        private var table = TextTable([.left, .left, .left])
        private(set) var isGood = true

        var lines: [String] { table.lines }

        /// Adds a check that the worker needs to pass.
        mutating func add(_ isGood: Bool, _ name: String, _ text: String) {
            self.isGood = self.isGood && isGood
            table.add([isGood ? "ok" : "FAILED", name, text], paint: isGood ? [:] : [0: TerminalColor.red.paint])
        }

        /// Adds the check of an optional service.
        mutating func addOptional(_ isPresent: Bool, _ name: String, _ text: String) {
            table.add([isPresent ? "ok" : "-", name, isPresent ? text : "does not answer at \(text)"])
        }
    }
}
