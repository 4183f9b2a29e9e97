import BoxOffice
import Events
import Notifier
import Operations
import Worker

/// `marquee replay`
struct ReplayCommand: Command {
    static let usage = Usage(
        name: "replay", summary: "Computes the alerts of a worker's log afresh and prints each as a line of JSON.",
        details: """
            A line has the id and the data that the alert's event has, so that two runs, and the notifier's log, can be
            compared byte for byte. Nothing is published and nothing is changed.
            """,
        options: [
            Usage.Option(name: "--from", value: "LOG", meaning: "the worker's database, or a backup of it"),
            Usage.Option(
                name: "--since", value: "DATE",
                meaning: "fire for days from DATE on, even if a newer day is known already"
            ),
            Usage.Option(name: "--ranks", value: "N", meaning: "how many ranks a film has to rise or fall (default 3)"),
            Usage.Option(
                name: "--learned", value: "N",
                meaning: "charts up to this place of the ranking stream are known and fire nothing"),
        ])

    private let log: String
    private let replay: AlertReplay

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.refusePositional()
        guard let log = arguments.value("--from") else { throw UsageError("replay needs --from LOG") }
        self.log = log
        let since = try arguments.value("--since", expected: "a date such as 2024-06-04") { KoreanDate($0) }
        let ranks = try arguments.value("--ranks", expected: "a number from 1 on") { text in
            Int(text).flatMap { $0 > 0 ? $0 : nil }
        }
        let learned = try arguments.value("--learned", expected: "a sequence") {
            UInt64($0).flatMap(SequenceNumber.init)
        }
        replay = AlertReplay(rules: AlertRules(threshold: ranks ?? 3), since: since, learned: learned ?? .zero)
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        try replay.run(Worker.logFile(at: log)) { Console.print(String(decoding: $0, as: UTF8.self)) }
        return .done
    }
}
