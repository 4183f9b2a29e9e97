import BoxOffice
import Contract
import Messaging
import Operations
import ZeroMQ

/// `marquee watch`
struct WatchCommand: Subcommand {
    static let usage = Usage(
        name: "watch", arguments: "[topic…]", summary: "Prints events and alerts as they are published.",
        details: """
            A topic is a prefix such as ranking.day.all, movie., request.failed or alert.; without one, all are shown.
            """,
        options: [Usage.Option(name: "--json", meaning: "print the events, one JSON object a line")])

    private let prefixes: [String]
    private let printsJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        prefixes = arguments.positional.isEmpty ? [""] : arguments.positional
        printsJSON = arguments.has("--json")
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let signals = TerminationSignals()
        let io = try configuration.makeClientThread()
        try await withThrowingTaskGroup { tasks in
            for address in [configuration.events.reachable, configuration.alerts.reachable] {
                let reader = try await EventReader(io, address: address, prefixes: prefixes)
                tasks.addTask {
                    _ = try await reader.read { events, _ -> Never? in
                        for event in events { show(event) }
                        return nil
                    }
                }
            }
            await signals.first()
            await io.shutdown()
        }
        return .done
    }

    private func show(_ event: Event) {
        Console.print(printsJSON ? String(decoding: event.body, as: UTF8.self) : EventFormatter(event: event).text)
    }
}
