import Concurrency
import Foundation
import TestSupport
import Testing

/// An independent client on pyzmq (`client.py`), which receives all events and alerts and sends the messages of a test.
final class Client: Sendable {
    /// The form in which a message is sent.
    enum Form: String, CaseIterable {
        /// Published to the SUB endpoint, without a receipt.
        case publish = "PUB"
        /// By a REQ socket to the ROUTER endpoint.
        case req = "REQ"
        /// By a DEALER socket to the ROUTER endpoint, with the empty frame that a REQ socket sends.
        case dealer = "DEALER"
        /// By a DEALER socket to the ROUTER endpoint, without the empty frame.
        case bare
    }

    /// A published event.
    struct Event: Sendable {
        let topic: String
        let text: String
        let body: JSON

        var data: JSON { body["data"] }
        var sequence: String { body["sequence"].text ?? "" }
    }

    /// An answer of the ROUTER endpoint.
    struct Answer: Sendable {
        /// The frames before the word: one empty frame, or none.
        let envelope: [String]
        let word: String
        let body: JSON
        /// The frames after the body: topic and event alternately, in an answer with events.
        let events: [String]
    }

    /// The outcome of a request.
    struct Outcome: Sendable {
        /// `request.done` or `request.failed`.
        let end: Event
        /// The published events that the outcome names.
        let events: [Event]

        var isDone: Bool { end.topic.hasPrefix("request.done.") }
        var error: JSON { end.data["error"] }
    }

    private let program: Program
    private let count = Locked(0)
    /// The parsed events by line: tests search the lines often, and each is parsed once.
    private let parsedEvents = Locked<[String: Event]>([:])

    /// Starts the client, and waits until its sockets are connected.
    init(environment: [String: String]) async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "client.py").path
        program = try Program(ProcessHarness.python, [script], environment: environment)
        try #require(await program.output { $0 == "ready" ? $0 : nil } != nil, "\(program.written.errors)")
    }

    /// Publishes a request.
    func publish(_ topic: String, _ body: String) throws {
        try publish(frames: [Array(topic.utf8), Array(body.utf8)])
    }

    /// Publishes these frames.
    func publish(frames: [[UInt8]]) throws {
        _ = try send(frames, as: .publish)
    }

    /// Sends a command, and waits for the answer.
    func ask(_ name: String, _ body: String = "{}", as form: Form = .req) async throws -> Answer {
        try await ask(frames: [Array(name.utf8), Array(body.utf8)], as: form)
    }

    /// Sends these frames, and waits for the answer.
    func ask(frames: [[UInt8]], as form: Form = .req) async throws -> Answer {
        let mark = "answer \(try send(frames, as: form)) "
        let line = try #require(await program.output { $0.hasPrefix(mark) ? $0.dropFirst(mark.count) : nil })
        let answer = try JSON(String(line)).list.compactMap(\.text)
        let envelope = answer.prefix { $0.isEmpty }
        let events = answer.dropFirst(envelope.count + 2)
        // Word and body, and after them only requested events.
        try #require(answer.count >= envelope.count + 2 && (events.isEmpty || answer[envelope.count] == "events"))
        return Answer(
            envelope: Array(envelope), word: answer[envelope.count], body: try JSON(answer[envelope.count + 1]),
            events: Array(events))
    }

    /// Sends these frames to the ROUTER endpoint, and waits for no answer: the worker may end before it has sent one.
    func tell(frames: [[UInt8]]) throws {
        _ = try send(frames, as: .req)
    }

    /// Sends a request with a new id, and waits for its outcome.
    func request(_ topic: String, _ fields: [String: JSON]) async throws -> Outcome {
        let id = "e2e-\(number())"
        let body = try JSON.object(fields.merging(["id": .text(id)]) { given, _ in given }).line
        let answer = try await ask(topic, body)
        try #require(answer.word == "accepted", "\(answer.body)")
        return try await outcome(of: id)
    }

    /// Requests a day's chart, and waits for the outcome.
    func day(_ date: String, refresh: Bool = false) async throws -> Outcome {
        try await request("fetch.day", ["date": .text(date), "refresh": .boolean(refresh)])
    }

    /// Waits for the outcome of a request and for its events.
    func outcome(of id: String) async throws -> Outcome {
        let end = try await event { ["request.done.\(id)", "request.failed.\(id)"].contains($0.topic) }
        var events: [Event] = []
        for named in end.data["events"].list {
            events.append(
                try await event {
                    $0.body["stream"] == named["stream"] && $0.body["sequence"] == named["sequence"]
                })
        }
        return Outcome(end: end, events: events)
    }

    /// Waits until the worker's log has an event of a topic, also one published while the client was not connected, and
    /// returns its body.
    @discardableResult
    func logged(_ topic: String) async throws -> JSON {
        let events = try await waitUntil("\(topic) is in the log") {
            try await ask("latest", #"{"topic":"\#(topic)"}"#).events
        } is: {
            !$0.isEmpty
        }
        return try JSON(try #require(events.last))
    }

    /// Returns the first event of a topic, past or future.
    func event(_ topic: String) async throws -> Event {
        try await event { $0.topic == topic }
    }

    /// Returns the first event, past or future, for which `isWanted` is true.
    func event(where isWanted: (Event) -> Bool) async throws -> Event {
        try #require(await program.output { line in event(in: line).flatMap { isWanted($0) ? $0 : nil } })
    }

    /// Returns the first heartbeat sent from now on: once it arrives, all earlier events have arrived too.
    @discardableResult
    func waitForHeartbeat(of role: ProcessHarness.Role) async throws -> Event {
        let now = FixedClock.now.ISO8601Format(.init(includingFractionalSeconds: true))
        return try await event { $0.topic == "heartbeat.\(role)" && ($0.body["time"].text ?? "") > now }
    }

    /// Waits until the worker's SUB endpoint has subscribed to this client `times` times.
    func subscribed(times: Int) async throws {
        var left = times
        try #require(
            await program.output { line in
                if line == "subscribed" { left -= 1 }
                return left == 0 ? line : nil
            } != nil)
    }

    /// The events so far.
    var events: [Event] { program.written.output.compactMap(event(in:)) }

    /// Returns the events so far whose topic begins with `prefix`.
    func events(_ prefix: String) -> [Event] {
        events.filter { $0.topic.hasPrefix(prefix) }
    }

    /// Returns a sequence number in the format of the wire.
    static func sequence(_ number: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Ends the client.
    func close() async throws -> Program.Ending {
        try await program.finish()
    }

    private func send(_ frames: [[UInt8]], as form: Form) throws -> Int {
        let number = number()
        let order: JSON = [
            "number": .number(Double(number)), "form": .text(form.rawValue),
            "frames": .list(frames.map { .text(Data($0).base64EncodedString()) }),
        ]
        try program.type(try order.line + "\n")
        return number
    }

    /// Returns the event in a line of `client.py`; nil if the line is not an event.
    private func event(in line: String) -> Event? {
        if let event = parsedEvents.withLock({ $0[line] }) { return event }
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count == 3, words[0] == "event", let body = try? JSON(words[2]) else { return nil }
        let event = Event(topic: words[1], text: words[2], body: body)
        parsedEvents.withLock { $0[line] = event }
        return event
    }

    private func number() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
