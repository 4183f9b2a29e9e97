import Concurrency
import Foundation
import Storage
import TestSupport
import Testing
import Text
import YAML

@testable import Notifier

/// A kind of sink that the program does not have, made as CONTRIBUTING.md says.
private struct PagerSink: Sink {
    static let kind = "pager"
    static let keys = ["number", "pin", "pinFile"]

    let number: String
    let pin: String
    let pages = Monitor<[String]>([])

    init?(_ fields: inout SinkFields) {
        let (number, pin) = (fields.text("number"), fields.secret("pin"))
        guard let number, let pin else { return nil }
        self.number = number
        self.pin = pin
    }

    func address(in language: Language) -> String { number }

    func send(_ message: SinkMessage, at now: Date, by clients: SinkClients) async -> SinkResponse {
        pages.withLock { $0.append("\(number): \(message.title)") }
        return SinkResponse(outcome: .delivered, text: "paged with \(pin)")
    }
}

@Suite(.patience) struct NewSinkTests {
    private func read(_ text: String) throws -> (sinks: [ConfiguredSink], diagnostics: [String]) {
        var diagnostics = ConfigurationDiagnosticsError()
        let node = try #require(try Node.read(Array(text.utf8), file: "rules.yml", &diagnostics))
        let sinks = ConfiguredSink.read(node, of: ConfiguredSink.kinds + [PagerSink.self], &diagnostics)
        return (sinks, diagnostics.diagnostics.map(\.description))
    }

    @Test("a kind of sink that is in the list is read, shown and sent to; its secrets are in no response")
    func newKind() async throws {
        let (sinks, diagnostics) = try read("night: {kind: pager, number: 555-0100, pin: T0p, language: en}")
        #expect(diagnostics == [])
        let sink = try #require(sinks.first)
        #expect(sink.kind == "pager" && sink.address(in: .ko) == "555-0100" && sink.languageCode == "en")
        let harness = try await DeliveryHarness([sink])
        try await harness.alert("A")
        try await harness.open { _ = try await harness.settled("night") { $0.sent == 1 } }
        #expect((sink.target as? PagerSink)?.pages.withLock(\.self) == ["555-0100: A leads"])
        let responses = try await harness.database.read { connection in
            try connection.query("select response from attempt", as: String?.self)
        }
        #expect(responses == ["paged with ***"])
    }

    @Test("errors about the keys of a new kind are like those of the others")
    func errors() throws {
        let (sinks, diagnostics) = try read(
            """
            one: {kind: pagr}
            two: {kind: pager, numbr: 1, pin: [T0p]}
            three: {kind: file, path: x, number: 1}
            """)
        #expect(sinks.map(\.name) == ["three"])
        #expect(
            diagnostics == [
                "rules.yml:1:13: one.kind: 'pagr' is not one of webhook, slack, discord, telegram, ntfy, apprise, mail, "
                    + "file, standardOutput, pager",
                "rules.yml:2:6: two: number is missing",
                "rules.yml:2:20: two.numbr: unknown key; did you mean number?",
                "rules.yml:2:35: two.pin: a list is not text",
                "rules.yml:3:30: three.number: unknown key; did you mean rules?",
            ])
    }
}
