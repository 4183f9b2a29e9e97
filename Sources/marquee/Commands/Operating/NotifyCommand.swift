import BoxOffice
import Concurrency
import Contract
import FoundationEssentials
import JSONCoding
import Messaging
import Notifier
import Operations
import ZeroMQ

/// `marquee notify`
struct NotifyCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "notify", arguments: "test SINK | log [SINK] | retry SINK|LETTER",
            summary: Language.current(
                "MARQUEE_RULES의 발송 대상을 시험하고, 발송 내역을 보고, 실패한 알림을 다시 보냅니다.",
                "Tests a sink of MARQUEE_RULES, prints the deliveries, and sends dead letters again."),
            details: Language.current(
                """
                test SINK은 시험 알림을 보내고 응답을 출력합니다. log는 알림 서버의 데이터베이스를 읽으며, 서버가 실행 중이어도 됩니다.
                retry는 실행 중인 알림 서버가 발송 대상의 실패한 알림 전부, 또는 이 키의 알림을 다시 보내게 합니다.
                """,
                """
                test SINK sends a test letter and prints the sink's answer. log reads the notifier's database, also while the
                notifier runs. retry needs a running notifier: it sends the dead letters of a sink again, or the letter
                with this key.
                """),
            options: [
                Usage.Option(name: "--dead", meaning: Language.current("log: 발송에 실패한 알림", "log: the dead letters")),
                Usage.Option(
                    name: "--last", value: "N",
                    meaning: Language.current("log: 줄 수(기본값 20)", "log: how many lines (default 20)")),
                Usage.Option(
                    name: "--json",
                    meaning: Language.current(
                        "log: 한 줄에 하나씩 JSON으로 출력", "log: print JSON, one object a line")),
            ])
    }

    private enum Verb {
        case test(sink: String)
        case log(sink: String?)
        case retry(String)
    }

    private let verb: Verb
    private let showsDead: Bool
    private let printsJSON: Bool
    private let count: Int

    init(_ arguments: Arguments) throws(UsageError) {
        let words = arguments.positional
        switch (words.first, words.count) {
        case ("test", 2): verb = .test(sink: words[1])
        case ("log", 1...2): verb = .log(sink: words.dropFirst().first)
        case ("retry", 2): verb = .retry(words[1])
        default:
            throw UsageError(
                "notify의 인수: \(Self.usage.arguments)", "notify takes \(Self.usage.arguments)")
        }
        if case .log = verb {
        } else {
            try arguments.reject(
                "--dead", "--last", "--json", because: "옵션은 `marquee notify log`에만 쓸 수 있습니다",
                "is only for `marquee notify log`")
        }
        showsDead = arguments.has("--dead")
        printsJSON = arguments.has("--json")
        count =
            try arguments.value("--last", expected: Language.current("1~10,000", "a number from 1 to 10,000")) { text in
                Int(text).flatMap { (1...10_000).contains($0) ? $0 : nil }
            } ?? 20
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        switch verb {
        case .test(let sink): return try await test(sink, configuration)
        case .log(let sink):
            let log = DeliveryLog(try configuration.existingLogDatabase(ofAlerts: true))
            if let sink { try check(sink, in: log, configuration) }
            try showsDead ? show(log.dead(of: sink)) : show(log.entries(of: sink, last: count))
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
    private func sink(_ name: String, _ configuration: Configuration) throws -> SinkConfiguration {
        let sinks = try configuration.ruleFile().sinks
        guard let sink = sinks.first(where: { $0.name == name }) else {
            let names = sinks.map(\.name).joined(separator: ", ")
            throw UsageError(
                "MARQUEE_RULES에 \(name.debugDescription) 발송 대상이 없습니다. "
                    + (names.isEmpty ? "설정된 대상이 없습니다" : "설정된 대상: \(names)"),
                "MARQUEE_RULES has no sink \(name.debugDescription); "
                    + (names.isEmpty ? "it has none" : "it has \(names)"))
        }
        return sink
    }

    private func test(_ name: String, _ configuration: Configuration) async throws -> ExitStatus {
        let sink = try sink(name, configuration)
        let (isDelivered, answer) = try await sink.test(at: Date(), board: configuration.publicURL)
        let outcome = isDelivered ? Language.current("발송됨", "delivered") : Language.current("발송 실패", "not delivered")
        Console.print("\(name): \(outcome): \(answer)")
        return isDelivered ? .done : .failed
    }

    private func show(_ entries: [DeliveryLog.Entry]) throws {
        if printsJSON { return try print(entries) }
        var table = TextTable([.left, .left, .left, .right, .left, .left])
        for entry in entries {
            table.add(
                [
                    Self.time(entry.at.date), entry.sink, entry.outcome, entry.milliseconds.map { "\($0) ms" } ?? "",
                    entry.letter, entry.answer ?? "",
                ], paint: ["sent", "spared", "withdrawn"].contains(entry.outcome) ? [:] : [2: TerminalColor.red.paint])
        }
        table.lines.forEach(Console.print)
    }

    private func show(_ letters: [DeliveryLog.Dead]) throws {
        if printsJSON { return try print(letters) }
        var table = TextTable([.left, .left, .left, .right, .left])
        for letter in letters {
            let key = letter.letter == letter.alert ? letter.letter : "\(letter.letter): \(letter.alert)"
            table.add([
                Self.time(letter.at.date), letter.sink, key,
                Language.current("\(letter.attempts)회 시도", "\(letter.attempts) attempts"), letter.answer ?? "",
            ])
        }
        table.lines.forEach(Console.print)
    }

    private func print(_ values: [some Encodable]) throws {
        for value in values { Console.print(String(decoding: try JSON.encode(value), as: UTF8.self)) }
    }

    private static func time(_ instant: Date) -> String {
        "\(KoreanDate(at: instant)) \(instant.koreanTime)"
    }

    private func retry(_ name: String, _ configuration: Configuration) async throws -> ExitStatus {
        let address = configuration.alertCommands.reachable
        let io = try IOThread()
        let client = try await CommandClient(io, address: address)
        do {
            let reply = try await withDeadline(.seconds(5), orThrow: ResponseTimeoutError(address: address)) {
                let reply = try await client.ask("retry", try Self.body(["sink": name]))
                guard reply.failure?.code == .notFound else { return reply }
                return try await client.ask("retry", try Self.body(["letter": name]))
            }
            await io.shutdown()
            return try printResult(of: reply, for: name)
        } catch let error as ResponseTimeoutError {
            Console.printError("marquee: \(error.text())")
            return .timedOut
        }
    }

    private static func body(_ fields: [String: String]) throws -> String {
        String(decoding: try JSON.encode(fields), as: UTF8.self)
    }

    private func printResult(of reply: Reply, for name: String) throws -> ExitStatus {
        if let failure = reply.failure {
            failure.text().forEach(Console.printError)
            return .failed
        }
        let sinks = try JSON.decode(RetryResult.self, from: reply.body).sinks
        for (sink, count) in sinks.sorted(by: { $0.key < $1.key }) {
            Console.print(
                Language.current(
                    "\(sink): 알림 \(count)건을 다시 발송합니다",
                    "\(sink): \(count) \(count == 1 ? "alert goes" : "alerts go") out again"))
        }
        if sinks.isEmpty {
            Console.print(Language.current("\(name): 발송에 실패한 알림이 없습니다", "\(name) has no dead letter"))
        }
        return sinks.isEmpty ? .failed : .done
    }

    private struct RetryResult: Decodable {
        let sinks: [String: Int]
    }
}
