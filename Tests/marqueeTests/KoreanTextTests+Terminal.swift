import BoxOffice
import Contract
import FoundationEssentials
import JSONCoding
import Testing
import Text
import Worker

@testable import EventStore
@testable import Notifier
@testable import marquee

/// What commands print: each text of the sources, and what stands in it.
extension KoreanTextTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Expects lines in Korean without words in Latin letters but names, addresses and `values`.
    private func expectKorean(
        _ lines: [String], but values: String = "", at location: SourceLocation = #_sourceLocation
    ) {
        let latin = Self.latin(in: lines.joined(separator: "\n")).subtracting(Self.words(of: values))
        #expect(latin.isEmpty, "\(latin): \(lines)", sourceLocation: location)
    }

    @Test("each text of the sources is in its own language, apart from names and codes")
    func sources() throws {
        let folder = Self.root.appending(path: "Sources").path
        // The sandbox's films are made up, and the vocabulary is the council's own.
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { path in
            path.hasSuffix(".swift") && !path.hasPrefix("Sandbox/") && !path.contains("MovieVocabulary")
        }
        var count = 0
        for file in files {
            let source = try String(contentsOf: URL(filePath: "\(folder)/\(file)"), encoding: .utf8)
            guard file.hasPrefix("marquee/") || Self.hasHangul(source) else { continue }
            for text in SourceText.texts(of: source) {
                if text.place == .english {
                    #expect(!Self.hasHangul(text.text), "\(file): \(text.text)")
                } else if text.place == .korean || Self.hasHangul(text.text) {
                    count += 1
                    let latin = Self.latin(in: text.text).subtracting(Self.codes)
                    #expect(latin.isEmpty, "\(file): \(latin): \(text.text)")
                }
            }
        }
        #expect(count > 600)
    }

    @Test("a text of a source file is found with its place, also within another, and not in a comment")
    func sourceTexts() {
        let source = #"""
            // "a comment"
            show(Language.current("하나 \(is ? "둘" : "three") 넷", "one"), "other", language("다섯" + "여섯", """
                six
                """))
            """#
        let texts = SourceText.texts(of: source).map { text in
            "\(text.place) " + text.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        #expect(
            texts == [
                "other 둘", "other three", "korean 하나 넷", "english one", "other other", "korean 다섯", "korean 여섯",
                "english six",
            ])
    }

    @Test("wrong arguments are reported in Korean, whichever the command and the option")
    func wrongArguments() {
        var messages: Set<String> = []
        for command in commands {
            let usage = command.usage
            let arguments = usage.arguments.split(separator: " | ").map { $0.split(separator: " ").map(String.init) }
            let options = usage.options.filter { $0.meaning != nil }.map(\.name)
            let given = options.flatMap { [[$0], [$0, "?"], ["\($0)=?", "\($0)=?"]] } + [[], ["--?"]]
            for words in arguments + [[], ["?"], ["?", "?"], ["?", "?", "?", "?"]] {
                messages.formUnion(given.compactMap { Self.mistake(command, words + $0) })
            }
        }
        #expect(messages.count > 150)
        for message in messages {
            #expect(Self.hasHangul(message), "\(message)")
            #expect(Self.latin(in: message).isSubset(of: Self.codes), "\(message)")
        }
    }

    private static func mistake(_ command: any Subcommand.Type, _ words: [String]) -> String? {
        Language.$current.withValue(.ko) {
            do throws(UsageError) {
                _ = try command.init(Arguments(words, usage: command.usage))
                return nil
            } catch {
                return error.message
            }
        }
    }

    @Test("events of every stream are shown in Korean, as a line and as a table")
    func events() throws {
        let file = Self.root.appending(path: "docs/schemas/examples.txt")
        var streams: Set<Contract.Stream> = []
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            // The example of a heartbeat is no event.
            guard let blank = line.firstIndex(of: " "), let topic = Topic(line[..<blank]) else { continue }
            let body = Array(line[blank...].dropFirst().utf8)
            let event = try Event(topic: topic, body: body)
            streams.insert(topic.stream)
            try Language.$current.withValue(.ko) {
                var lines = try [EventFormatter(event: event).text] + RequestRunner.lines(of: event)
                if case .ranking = topic {
                    let revision = try ChartRevision(
                        LoggedEvent(topic: topic, sequence: try #require(SequenceNumber(1)), body: body))
                    let days = revision.chart.entries.map { ChartAppearance(revision: revision, entry: $0) }
                    lines += RevisionTable(revisions: [revision]).lines
                    lines += MovieHistoryTable(days: days).lines
                }
                expectKorean(lines, but: "notPublished The First Film")
            }
        }
        #expect(streams == Set(Contract.Stream.allCases))
    }

    @Test("the names of markets and weeks are in Korean")
    func charts() throws {
        for market in Market.Nation.allCases.map({ Market(nation: $0) })
            + Market.Films.allCases.map({ Market(films: $0) }) + Market.areas.map({ Market(area: $0.area) })
        {
            for span in Week.Span.allCases {
                let week = Week(of: .firstChart, span: span)
                let chart = WeekChart(week: week, yearWeek: nil, market: market, state: .settled, entries: [])
                expectKorean(ChartText(chart, in: .ko).lines())
            }
        }
    }

    @Test("the state of the processes is in Korean, whatever holds a backfill up")
    func status() throws {
        let runs = (["day"] + Week.Span.allCases.map(\.rawValue) + ["movie.20240001"]).map {
            #"{"what":"\#($0).2024-06-04.morning","at":"2024-06-04T20:13:57Z"}"#
        }
        for code in ContractError.Code.allCases {
            let backfill = """
                {"number":1,"first":"2024-05-01","last":"2024-06-04","isInitial":false,"isOver":false,"total":35,"done":8,\
                "failed":1,"rests":"\(code.rawValue)","restsUntil":null}
                """
            let text = """
                {"version":"0.1.0","epoch":"1","uptime":7325,"queue":{"live":1,"backfill":20},"setAside":[],"positions":{},\
                "quota":{"kobis":\(Self.balance),"kakao":\(Self.balance),"openmarket":\(Self.balance)},\
                "schedule":[\(runs.joined(separator: ","))],"backfill":\(backfill),"name":"7",\
                "workers":[{"name":"7","silence":2,"requests":1,"isLeader":true}]}
                """
            let status = try JSON.decode(ProcessStatus.self, from: Array(text.utf8))
            expectKorean(StatusText(status: status, address: "", isOfNotifier: false, language: .ko).lines)
            let progress = try #require(status.backfill)
            expectKorean([progress.line(end: KoreanDate.firstChart.start, in: .ko)])
        }
    }

    private static let balance = #"{"limit":3000,"used":2,"left":2998,"leftForBackfill":2398,"forBackfill":2400}"#

    @Test("the deliveries are in Korean, whatever their outcome")
    func deliveries() {
        let entries = DeliveryLog.Outcome.allCases.flatMap { outcome in
            [nil, "written", "12 bytes written"].map { response in
                DeliveryLog.Entry(
                    at: DeliveryLog.Moment(0), sink: "", messageKey: "", outcome: outcome, milliseconds: 7,
                    response: response)
            }
        }
        expectKorean(DeliveryText(entries: entries, language: .ko).lines)
        let letter = DeliveryLog.Dead(
            at: DeliveryLog.Moment(0), sink: "", messageKey: "", alert: "", attempts: 2, response: nil)
        expectKorean(DeadLetterText(letters: [letter], language: .ko).lines)
    }

    @Test("the sinks are in Korean, whatever their kind")
    func sinks() throws {
        let text = """
            sinks:
              a: {kind: webhook, url: "https://example.org/hook", secret: whsec_c2VjcmV0, severity: major, digest: 09:00}
              b: {kind: slack, url: "https://example.org/x", severity: notable, quietHours: 23:00-08:00}
              c: {kind: discord, url: "https://example.org/x", severity: info, rate: 20/1m, cooldown: 3d}
              d: {kind: telegram, token: "12:ab", chat: -1001}
              e: {kind: ntfy, topic: marquee-7f, rules: [lead]}
              f: {kind: apprise, url: "http://apprise:8000/notify/marquee"}
              g: {kind: mail, host: mail.example.org, from: a@example.org, to: b@example.org}
              h: {kind: file, path: /var/lib/alerts.jsonl}
              i: {kind: standardOutput}
            """
        let file = try RuleFile.read(Array(text.utf8), file: "")
        let kinds = ConfiguredSink.kinds.map { $0.kind }
        #expect(file.sinks.map(\.kind) == kinds)
        let words = kinds.joined(separator: " ") + " a b c d e f g h i ko lead"
        expectKorean(SinkText(file: file, language: .ko).lines, but: words)
    }
}
