import BoxOffice
import Contract
import Foundation
import Messaging
import TestSupport
import ZeroMQ

extension Stage {
    /// The path of a file in the processes' data folder.
    func data(_ name: String = "") -> String {
        environment["MARQUEE_DATA", default: ""] + (name.isEmpty ? "" : "/\(name)")
    }

    /// Asks for days, one after the other, and returns when the last is done.
    func request(_ days: [KoreanDate]) async throws {
        let io = try IOThread()
        let client = RequestClient(
            io, commands: environment["MARQUEE_COMMANDS", default: ""],
            events: environment["MARQUEE_EVENTS", default: ""])
        for day in days {
            let outcome = try await client.perform(Request(.day(day, .all)), within: .seconds(60))
            guard case .done = outcome else { throw Refused(day: day, outcome: outcome) }
        }
        await io.shutdown()
    }

    private struct Refused: Error {
        let day: KoreanDate
        let outcome: RequestClient.Outcome
    }

    /// The lines that `marquee` with these arguments prints; it must succeed.
    func lines(_ arguments: String...) async throws -> [String] {
        let ending = try await Program.run(Self.marquee, arguments, environment: environment)
        guard ending.status == 0 else { throw Failed(arguments: arguments, ending: ending) }
        return ending.output
    }

    private struct Failed: Error {
        let arguments: [String]
        let ending: Program.Ending
    }
}
