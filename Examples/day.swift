import BoxOffice
import Contract
import Foundation
import Messaging
import ZeroMQ

/// Asks the worker for a day's chart and prints it: `swift run ExampleDay 2024-06-04`.
@main
enum ExampleDay {
    static func main() async throws {
        let settings = ProcessInfo.processInfo.environment
        guard let day = KoreanDate(CommandLine.arguments.dropFirst().first ?? "2024-06-04") else { exit(2) }

        let io = try IOThread()
        let client = RequestClient(
            io, commands: [settings["MARQUEE_COMMANDS"] ?? "tcp://127.0.0.1:5551"],
            events: [settings["MARQUEE_EVENTS"] ?? "tcp://127.0.0.1:5552"])
        let outcome = try await client.perform(Request(.day(day, .all)), within: .seconds(60))
        await io.shutdown()

        switch outcome {
        case .done(let done, let events):
            for event in events {
                for entry in try event.data(as: Chart.self).entries {
                    print(entry.rank ?? 0, entry.title, entry.audience ?? 0, separator: "\t")
                }
            }
            print("done, from the \(done.from.rawValue)")
        case .failed(let failure):
            FileHandle.standardError.write(Data("failed: \(failure.message)\n".utf8))
            exit(1)
        }
    }
}
