import BoxOffice
import Concurrency
import Contract
import FoundationEssentials
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
            Uses no call of any quota. Fails if something that the worker needs is missing: a data folder that can be
            written, free disk, a right clock, and a KOBIS service with its key. Without a key it checks the sandbox.

            With `rules FILE` it checks only that rule file, and prints which rule goes to which sink, or a line for each
            mistake: its position, what is wrong and what was expected. It fails if there is any.
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
        if let ruleFile { return read(ruleFile, printsRules: true) }
        var report = Report()
        checkFiles(configuration, &report)
        await checkUpstreams(configuration, &report)
        try await checkProcesses(configuration, &report)
        for line in report.lines { Console.print(line) }
        return report.isGood ? .done : .failed
    }

    /// Checks the data folder, its disk and the rule file.
    private func checkFiles(_ configuration: Configuration, _ report: inout Report) {
        report.add(true, "configuration", "read")
        let folder = configuration.dataFolder
        do throws(DataFolder.DataFolderError) {
            try DataFolder(folder).checkWritable()
            report.add(true, "data folder", folder)
        } catch {
            report.add(false, "data folder", "\(error)")
        }
        if let disk = DiskSpace(ofFolder: folder) {
            let reserve = Double(configuration.diskReserveMegabytes << 20)
            let space = "\(Int(disk.free / 1e6).grouped) of \(Int(disk.size / 1e6).grouped) MB free"
            report.add(
                !disk.isBelow(reserve: reserve), "disk",
                disk.isBelow(reserve: reserve) ? "\(space); the worker refuses requests (MARQUEE_DISK_RESERVE)" : space)
        }
        if let path = configuration.rules { report.add(read(path) == .done, "rules", path) }
    }

    /// Checks the keys and the reachability of the upstreams, and the clock. Only KOBIS is required.
    private func checkUpstreams(_ configuration: Configuration, _ report: inout Report) async {
        let client = HTTPClient(retry: .never)
        if configuration.kobis.key == nil {
            await checkSandbox(configuration.sandboxHTTP.url, with: client, &report)
        } else {
            for (name, upstream) in [("KOBIS", configuration.kobis), ("Kakao", configuration.kakao)] {
                await check(upstream, name, with: client, &report)
            }
        }
        await checkOpenMarket(configuration.openMarket, with: client, &report)
        await client.shutdown()
    }

    private func checkSandbox(_ url: String, with client: HTTPClient, _ report: inout Report) async {
        let keys = "no MARQUEE_KOBIS_KEY or MARQUEE_KOBIS_KEY_FILE is set"
        do throws(UpstreamError) {
            checkClock(against: try await head(url, with: client), of: "the sandbox", &report)
            report.add(true, "sandbox", "\(url), in place of all services: \(keys)")
        } catch {
            report.add(false, "KOBIS key", "\(keys), and no sandbox answers: \(error.message)")
        }
    }

    private func check(
        _ upstream: Configuration.Upstream, _ name: String, with client: HTTPClient, _ report: inout Report
    ) async {
        let variable = "MARQUEE_\(name.uppercased())_KEY"
        guard upstream.key != nil else {
            return report.addMissing("\(name) key", "none: no posters; set \(variable) or \(variable)_FILE")
        }
        report.add(true, "\(name) key", "present")
        do throws(UpstreamError) {
            let response = try await head(upstream.url, with: client)
            report.add(true, "\(name) service", upstream.url)
            if name == "KOBIS" { checkClock(against: response, of: name, &report) }
        } catch {
            report.add(false, "\(name) service", error.message)
        }
    }

    /// Checks this machine's clock, from which the worker takes what day it is in Korea.
    private func checkClock(against response: HTTPResponse, of service: String, _ report: inout Report) {
        guard let date = response.date else { return }
        let seconds = Int(Date().timeIntervalSince(date).rounded())
        let difference = abs(seconds) <= 2 ? "as" : "\(abs(seconds)) s \(seconds > 0 ? "ahead of" : "behind")"
        report.add(abs(seconds) < 60, "clock", "\(difference) that of \(service)")
    }

    /// Checks whether worker, notifier and board answer; none is required.
    private func checkProcesses(_ configuration: Configuration, _ report: inout Report) async throws {
        let io = try configuration.makeClientThread()
        for (name, address) in [
            ("worker", configuration.commands.reachable), ("notifier", configuration.alertCommands.reachable),
        ] {
            if let reason = await silence(at: address, io) {
                report.addMissing(name, reason)
            } else {
                report.add(true, name, address)
            }
        }
        await io.shutdown()
        let client = HTTPClient(retry: .never)
        do throws(UpstreamError) {
            _ = try await head("\(configuration.boardHTTP.url)/healthz", with: client)
            report.add(true, "board", configuration.boardHTTP.url)
        } catch {
            report.addMissing("board", error.message)
        }
        await client.shutdown()
    }

    /// Reads a rule file and prints what it holds, or its mistakes.
    private func read(_ path: String, printsRules: Bool = false) -> ExitStatus {
        do throws(ConfigurationDiagnosticsError) {
            let file = try RuleFile.read(path: path)
            Console.print("\(path): \(Self.count(file.rules.names, "rule")), \(Self.count(file.sinks, "sink"))")
            if printsRules { printRules(of: file) }
            return .done
        } catch {
            for diagnostic in error.diagnostics { Console.printError("\(diagnostic)") }
            return .failed
        }
    }

    /// Prints which rule goes to which sink, and what a reader of the file may not expect.
    private func printRules(of file: RuleFile) {
        var table = TextTable([.left, .left])
        for rule in file.rules.names {
            let sinks = file.sinks.filter { $0.rules(among: file.rules).contains(rule) }.map(\.name)
            table.add([rule.rawValue, sinks.isEmpty ? "no sink" : sinks.joined(separator: ", ")])
        }
        table.lines.forEach(Console.print)
        let off = AlertRules.standardNames.filter { !file.rules.names.contains($0) }.map(\.rawValue)
        if !off.isEmpty {
            Console.print("not in force, because `rules` does not name them: \(off.joined(separator: ", "))")
        }
        for sink in file.sinks {
            let missing = sink.rules(notAmong: file.rules).map(\.rawValue).joined(separator: ", ")
            if !missing.isEmpty { Console.print("\(sink.name) names rules that are not in force: \(missing)") }
        }
    }

    private static func count(_ items: [some Any], _ noun: String) -> String {
        items.count == 1 ? "1 \(noun)" : "\(items.count) \(noun)s"
    }

    /// Checks the Open Market and the vendor's credentials, if it is configured; the worker needs neither.
    private func checkOpenMarket(
        _ openMarket: Configuration.OpenMarket, with client: HTTPClient, _ report: inout Report
    ) async {
        guard let url = openMarket.url else { return }
        // All generations have the same health check.
        let api = OpenMarketAPI(url: url, generation: .v3, identifier: "")
        do throws(UpstreamError) {
            if try await client.send(api.health()) {
                report.add(true, "Open Market", url)
            } else {
                report.addMissing("Open Market", "\(url) says that it is not healthy")
            }
        } catch {
            report.addMissing("Open Market", error.message)
        }
        let isVendor = openMarket.identifier != nil && openMarket.secret != nil
        report.add(
            true, "Open Market vendor",
            isVendor ? "present" : "none; products can be read, but not registered, changed or removed")
    }

    /// Asks for the headers of an address; any status is an answer. The request has no key: it does not count towards a
    /// quota.
    private func head(_ url: String, with client: HTTPClient) async throws(UpstreamError) -> HTTPResponse {
        let request = HTTPRequest(url, method: .head, deadline: .seconds(5))
        return try await client.send(Endpoint(service: "check", request: request) { $0 })
    }

    /// Asks a process for its status; returns why there is none, or nil if there is.
    private func silence(at address: String, _ io: IOThread) async -> String? {
        do {
            let client = try await CommandClient(io, address: address)
            let reply = try await withDeadline(.seconds(1), orThrow: ResponseTimeoutError(address: address)) {
                try await client.ask("status")
            }
            await client.close()
            return reply.failure?.message
        } catch {
            return "\(error)"
        }
    }

    /// The result of all checks.
    private struct Report {
        private var table = TextTable([.left, .left, .left])
        private(set) var isGood = true

        var lines: [String] { table.lines }

        /// Adds a check that has to pass.
        mutating func add(_ isGood: Bool, _ name: String, _ text: String) {
            self.isGood = self.isGood && isGood
            table.add([isGood ? "ok" : "FAILED", name, text], paint: isGood ? [:] : [0: TerminalColor.red.paint])
        }

        /// Adds something optional that is not there.
        mutating func addMissing(_ name: String, _ reason: String) {
            table.add(["-", name, reason])
        }
    }
}
