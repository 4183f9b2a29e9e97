import Contract
import FoundationEssentials
import JSONCoding
import Messaging
import Notifier
import ServiceRuntime
import Text
import ZeroMQ

struct NotifyCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "notify", arguments: "test SINK | test --all | sinks | log [SINK] | retry SINK|KEY",
            summary: localized(
                "MARQUEE_RULES의 알림 채널을 보여 주고 테스트하며, 발송 내역을 보고, 실패한 알림을 다시 보냅니다.",
                "Tests the sinks of MARQUEE_RULES, prints them and the deliveries, and sends dead letters again."),
            details: localized(
                """
                test는 테스트 알림을 보내고 응답을 출력합니다. --rule을 지정하면 최근 수집된 박스오피스로 그 규칙의 알림을
                만들어 보내며, 테스트라고 표시합니다. sinks는 어느 규칙이 어디로 가는지 보여 줍니다. log는 알림 서버의
                데이터베이스를 읽으며, 서버가 실행 중이어도 됩니다.
                retry는 실행 중인 알림 서버가 알림 채널의 실패한 알림 전부, 또는 이 키의 알림을 다시 보내게 합니다.
                """,
                """
                test sends a test message and prints the sink's response; with --rule it looks like an alert of that rule about
                the newest chart in the worker's log, and says that it is a test. sinks prints where which rule goes. log
                reads the notifier's database, also while the notifier runs. retry needs a running notifier: it sends the
                dead letters of a sink again, or the one with this key.
                """),
            options: [
                Usage.Option("--all", "test: 모든 알림 채널", "test: all sinks"),
                Usage.Option(
                    "--rule", value: "RULE", "test: 이 규칙의 알림 예시", "test: what an alert of this rule looks like"),
                Usage.Option("--dead", "log: 발송에 실패한 알림", "log: the dead letters"),
                Usage.Option("--last", value: "N", "log: 줄 수(기본값 20)", "log: how many lines (default 20)"),
                Usage.Option("--json", "log: 한 줄에 하나씩 JSON으로 출력", "log: print JSON, one object a line"),
            ])
    }

    private enum Verb {
        /// All sinks, if there is no name.
        case test(sink: String?, rule: AlertRule?)
        case sinks
        case log(sink: String?)
        case retry(String)
    }

    private let verb: Verb
    private let showsDead: Bool
    private let printsJSON: Bool
    private let count: Int

    init(_ arguments: Arguments) throws(UsageError) {
        let words = arguments.positional
        let rule = try arguments.value("--rule").map(Self.rule)
        switch (words.first, words.count) {
        case ("test", 1...2) where (words.count == 1) == arguments.has("--all"):
            verb = .test(sink: words.dropFirst().first, rule: rule)
        case ("test", 1): throw UsageError("notify test에는 SINK나 --all이 필요합니다", "notify test needs a SINK, or --all")
        case ("sinks", 1): verb = .sinks
        case ("log", 1...2): verb = .log(sink: words.dropFirst().first)
        case ("retry", 2): verb = .retry(words[1])
        default:
            throw UsageError("notify의 인수: \(Self.usage.arguments)", "notify takes \(Self.usage.arguments)")
        }
        if words[0] != "log" {
            try arguments.reject(
                "--dead", "--last", "--json", because: "옵션은 `marquee notify log`에만 쓸 수 있습니다",
                "is only for `marquee notify log`")
        }
        if words[0] != "test" {
            try arguments.reject(
                "--all", "--rule", because: "옵션은 `marquee notify test`에만 쓸 수 있습니다",
                "is only for `marquee notify test`")
        }
        showsDead = arguments.has("--dead")
        printsJSON = arguments.has("--json")
        count = try arguments.number("--last", in: 1...10_000) ?? 20
    }

    /// Returns the rule of this name.
    private static func rule(_ word: String) throws(UsageError) -> AlertRule {
        guard let rule = AlertRule.allCases.first(where: { $0.rawValue == word }) else {
            let nearest = AlertRule.allCases.map(\.rawValue).nearest(to: word) ?? ""
            throw UsageError(
                "\(word.visiblyQuoted) 규칙은 없습니다. 혹시 \(nearest)인가요?",
                "there is no rule \(word.visiblyQuoted); did you mean \(nearest)?")
        }
        return rule
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        switch verb {
        case .test(let sink, let rule): return try await test(sink, rule, configuration)
        case .sinks:
            try showSinks(configuration)
            return .done
        case .log(let sink):
            let log = DeliveryLog(try configuration.existingLogDatabase(ofAlerts: true))
            if let sink { try check(sink, in: log, configuration) }
            if showsDead {
                let letters = try log.dead(of: sink)
                try show(letters, DeadLetterText(letters: letters).lines)
            } else {
                let entries = try log.entries(of: sink, last: count)
                try show(entries, DeliveryText(entries: entries).lines)
            }
            return .done
        case .retry(let name): return try await retry(name, configuration)
        }
    }

    /// Throws unless the log or the rule file has the sink.
    private func check(_ sink: String, in log: DeliveryLog, _ configuration: Configuration) throws {
        guard try log.entries(of: sink, last: 1).isEmpty, try log.dead(of: sink).isEmpty else { return }
        _ = try self.sink(sink, configuration)
    }

    /// Returns the sink of the rule file that has this name.
    private func sink(_ name: String, _ configuration: Configuration) throws -> ConfiguredSink {
        let sinks = try configuration.ruleFile().sinks
        guard let sink = sinks.first(where: { $0.name == name }) else {
            let names = sinks.map(\.name).joined(separator: ", ")
            throw UsageError(
                "MARQUEE_RULES에 \(name.visiblyQuoted) 알림 채널이 없습니다. "
                    + (names.isEmpty ? "설정된 채널이 없습니다" : "설정된 채널: \(names)"),
                "MARQUEE_RULES has no sink \(name.visiblyQuoted); "
                    + (names.isEmpty ? "it has none" : "it has \(names)"))
        }
        return sink
    }

    /// Sends a test message to a sink, or to all of them if `name` is nil.
    private func test(
        _ name: String?, _ rule: AlertRule?, _ configuration: Configuration
    ) async throws -> ExitStatus {
        let file = try configuration.ruleFile()
        let sinks = try name.map { [try sink($0, configuration)] } ?? file.sinks
        guard !sinks.isEmpty else {
            throw UsageError("MARQUEE_RULES에 테스트할 알림 채널이 없습니다", "MARQUEE_RULES has no sinks to test")
        }
        let sample = try rule.map { rule in
            try SampleAlert(of: rule, by: file, from: configuration.existingLogDatabase(ofAlerts: false))
        }
        var status = ExitStatus.done
        for sink in sinks {
            let (isDelivered, response) = await sink.test(sample, at: Date(), board: configuration.publicURL)
            let outcome =
                isDelivered ? localized("발송됨", "delivered") : localized("발송 실패", "not delivered")
            Console.print("\(sink.name): \(outcome): \(DeliveryText.text(ofResponse: response))")
            if !isDelivered { status = .failed }
        }
        return status
    }

    private func showSinks(_ configuration: Configuration) throws {
        let file = try configuration.ruleFile()
        guard !file.sinks.isEmpty else {
            let file = configuration.rules ?? "MARQUEE_RULES"
            return Console.print("\(file): 알림 채널이 없습니다", "\(file): no sinks")
        }
        SinkText(file: file).lines.forEach(Console.print)
    }

    private func show(_ values: [some Encodable], _ lines: [String]) throws {
        try (printsJSON ? values.map { try JSON.text($0) } : lines).forEach(Console.print)
    }

    private func retry(_ name: String, _ configuration: Configuration) async throws -> ExitStatus {
        let io = try configuration.makeClientThread()
        let client = try await CommandClient(io, addresses: configuration.reachableAlertCommands)
        var reply = try await client.ask("retry", try JSON.text(["sink": name]), within: .seconds(10))
        if reply.failure?.code == .notFound {
            reply = try await client.ask("retry", try JSON.text(["letter": name]), within: .seconds(10))
        }
        await io.shutdown()
        if let failure = reply.failure { return failure.report() }
        let sinks = try JSON.decode(RetryResult.self, from: reply.body).sinks
        for (sink, count) in sinks.sorted(by: { $0.key < $1.key }) {
            Console.print(
                "\(sink): 알림 \(count)건을 다시 발송합니다",
                "\(sink): \(count) \(count == 1 ? "alert goes" : "alerts go") out again")
        }
        if sinks.isEmpty {
            Console.print("\(name): 발송에 실패한 알림이 없습니다", "\(name) has no dead letter")
        }
        return sinks.isEmpty ? .failed : .done
    }

    private struct RetryResult: Decodable {
        let sinks: [String: Int]
    }
}
