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
        summary: "Looks at the configuration, the processes and the upstreams, one line each.",
        details: """
            Costs no call of any quota. Fails if something is missing that the worker needs.

            With `rules FILE` it reads a rule file, and nothing else: each mistake is a line with its place, what is
            wrong and what was expected; it fails if there is any.
            """)

    private let ruleFile: String?

    init(_ arguments: Arguments) throws(UsageError) {
        switch (arguments.positional.first, arguments.positional.count) {
        case (nil, _): ruleFile = nil
        case ("rules", 2): ruleFile = arguments.positional[1]
        case ("rules", 1): throw UsageError("check rules needs a FILE")
        default: throw UsageError("check takes nothing, or: rules FILE")
        }
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        if let ruleFile { return read(ruleFile) }
        var report = Report()
        report.add(true, "configuration", "read")
        do {
            report.add(true, "data folder", try DataFolder(configuration.dataFolder).path)
        } catch {
            report.add(false, "data folder", "\(error)")
        }
        if let path = configuration.rules { report.add(read(path) == .done, "rules", path) }
        for (name, upstream) in [("KOBIS", configuration.kobis), ("Kakao", configuration.kakao)] {
            let isNeeded = name == "KOBIS"
            let variable = "MARQUEE_\(name.uppercased())_KEY"
            report.add(
                upstream.key != nil || !isNeeded, "\(name) key",
                upstream.key == nil ? "none; set \(variable) or \(variable)_FILE" : "present")
        }
        let client = HTTPClient(retry: .never)
        for (name, upstream) in [("KOBIS", configuration.kobis), ("Kakao", configuration.kakao)] {
            let isReached = await reach(upstream.url, with: client)
            if name == "KOBIS" || upstream.key != nil {
                report.add(isReached, "\(name) service", upstream.url)
            } else {
                report.note(isReached, "\(name) service", upstream.url)
            }
        }
        await look(at: configuration.openMarket, with: client, in: &report)
        await client.shutdown()
        let io = try configuration.makeClientThread()
        for (name, address) in [
            ("worker", configuration.commands.reachable), ("notifier", configuration.alertCommands.reachable),
        ] {
            report.note(await answers(at: address, io), name, address)
        }
        await io.shutdown()
        for line in report.lines { Console.print(line) }
        return report.isGood ? .done : .failed
    }

    /// Reads a rule file and tells its mistakes, or what it puts in force.
    private func read(_ path: String) -> ExitStatus {
        do throws(ConfigurationDiagnosticsError) {
            let words = try RuleFile.read(path: path).rules.names.map(\.rawValue)
            Console.print("\(path): \(words.isEmpty ? "no rules" : words.joined(separator: ", "))")
            return .done
        } catch {
            for mistake in error.diagnostics { Console.complain("\(mistake)") }
            return .failed
        }
    }

    /// Whether the shop is up and we are somebody there, if one is configured; the worker does without either.
    private func look(
        at market: Configuration.OpenMarket, with client: HTTPClient, in report: inout Report
    ) async {
        guard let url = market.url else { return }
        let api = OpenMarketAPI(url: url, generation: .v3, identifier: "")  // all generations have the same health
        let isWell = (try? await client.send(api.health())) ?? false  // the line says that it does not answer
        report.note(isWell, "Open Market", url)
        let isVendor = market.identifier != nil && market.secret != nil
        report.add(
            true, "Open Market vendor",
            isVendor ? "present" : "none; products can be read, and nothing registered, changed or removed")
    }

    /// Whether anything at all answers: no key is shown, so no call is booked.
    private func reach(_ url: String, with client: HTTPClient) async -> Bool {
        let request = HTTPRequest(url, method: .head, deadline: .seconds(5))
        let endpoint = Endpoint<Bool>(service: "check", request: request) { _ in true }
        return (try? await client.send(endpoint)) ?? false  // the line says that it is not reached
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
            return false  // the line says that it does not answer
        }
    }

    /// The lines, and whether all that is needed is there.
    private struct Report {
        private var table = TextTable([.left, .left, .left])
        private(set) var isGood = true

        var lines: [String] { table.lines }

        /// Adds something that the worker needs.
        mutating func add(_ isGood: Bool, _ name: String, _ text: String) {
            self.isGood = self.isGood && isGood
            table.add([isGood ? "ok" : "FAILED", name, text], paint: isGood ? [:] : [0: TerminalColor.red.paint])
        }

        /// Adds something that may be there or not.
        mutating func note(_ isThere: Bool, _ name: String, _ text: String) {
            table.add([isThere ? "ok" : "-", name, isThere ? text : "does not answer at \(text)"])
        }
    }
}
