import BoxOffice
import EventStoreTestSupport
import FoundationEssentials
import JSONCoding
import TestSupport
import Testing
import ZeroMQ

@testable import Contract
@testable import EventStore
@testable import Messaging

/// A client that waits for its request's end, and a worker that a test plays.
@Suite(.patience) struct RequestClientTests {
    /// The worker's two sockets, and its log.
    private struct Stage {
        let log: EventLogFixture
        let router: Socket
        let publisher: Publisher
        let events: String
        let client: RequestClient

        init(_ io: IOThread) async throws {
            log = try await EventLogFixture(in: TemporaryFolder())
            router = try await io.bind(.router)
            let socket = try await io.bind(.publisher)
            events = socket.addresses[0]
            publisher = Publisher(socket, of: log.log, positions: [:])
            client = RequestClient(io, commands: router.addresses, events: socket.addresses)
            Task { [publisher] in
                await publisher.run(now: { Date(timeIntervalSince1970: 0) }, clock: ContinuousClock())
            }
        }

        /// Logs events and publishes them.
        func publish(_ drafts: EventDraft...) async throws -> [LoggedEvent] {
            let events = try await log.append(drafts)
            publisher.publish(events)
            return events
        }

        /// The next question, understood as a request, and how to answer it.
        func question() async throws -> (Command, Request) {
            var commands = router.commands().makeAsyncIterator()
            let command = try #require(await commands.next())
            let request = try Request(RequestFrames(command.frames), at: Date(timeIntervalSince1970: 1_717_556_400))
            return (command, request)
        }
    }

    private func request() throws -> Request {
        Request(.day(try #require(KoreanDate("2024-06-04")), .all))
    }

    @Test("an outcome that arrives before the receipt is found")
    func done() async throws {
        try await withIO { io in
            let stage = try await Stage(io)
            let asked = try request()
            async let outcome = stage.client.perform(asked, within: patience)
            let (command, request) = try await stage.question()
            let id = try #require(request.id)
            #expect(request.target == asked.target)
            let chart = try await stage.publish(draft("ranking.day.all.2024-06-04"))[0]
            let answer = RequestDone.Answer(topic: "\(chart.topic)", stream: .ranking, sequence: chart.sequence)
            let stranger = try #require(RequestID("\(id)2"))
            let failure = ContractError(.internal, "another's")
            _ = try await stage.publish(
                EventDraft(
                    .request(.failed, stranger),
                    data: RequestFailed(topic: "fetch.day", request: request.fields, error: failure).json),
                EventDraft(
                    .request(.done, id),
                    data: RequestDone(topic: "fetch.day", events: [answer], from: .log, problems: []).json))
            stage.router.post([command.answer(.accepted(id))])
            guard case .done(let done, let events) = try await outcome else {
                Issue.record("the request has failed")
                return
            }
            #expect(done.from == .log)
            #expect(events.map(\.body) == [chart.body])
        }
    }

    @Test("a failure event or a refusal is the outcome of a request", arguments: [true, false])
    func failed(_ isRefused: Bool) async throws {
        try await withIO { io in
            let stage = try await Stage(io)
            let asked = try request()
            async let outcome = stage.client.perform(asked, within: patience)
            let (command, request) = try await stage.question()
            let id = try #require(request.id)
            let failure = ContractError(.notPublished, "not yet")
            stage.router.post([command.answer(isRefused ? .refused(failure) : .accepted(id))])
            if !isRefused {
                _ = try await stage.publish(
                    EventDraft(
                        .request(.failed, id),
                        data: RequestFailed(topic: "fetch.day", request: request.fields, error: failure).json))
            }
            guard case .failed(failure) = try await outcome else {
                Issue.record("the request has not failed as it did")
                return
            }
        }
    }

    @Test("a request gets its receipt and its outcome from the second host when the first one is dead")
    func secondHost() async throws {
        try await withIO { io in
            let stage = try await Stage(io)
            let folder = try TemporaryFolder()
            let dead = ["commands", "events"].map { "ipc://" + folder.file($0) }
            let client = RequestClient(
                io, commands: [dead[0]] + stage.router.addresses, events: [dead[1], stage.events])
            let asked = try request()
            let (receipts, receipt) = AsyncStream<Void>.makeStream()
            async let outcome = client.perform(asked, within: patience) { receipt.finish() }
            let (command, request) = try await stage.question()
            let id = try #require(request.id)
            stage.router.post([command.answer(.accepted(id))])
            for await _ in receipts {}
            let failure = ContractError(.notPublished, "not yet")
            _ = try await stage.publish(
                EventDraft(
                    .request(.failed, id),
                    data: RequestFailed(topic: "fetch.day", request: request.fields, error: failure).json))
            guard case .failed(failure) = try await outcome else {
                Issue.record("the request has not failed as it did")
                return
            }
        }
    }

    @Test("a command to an address without a process times out")
    func unanswered() async throws {
        try await withIO { io in
            let folder = try TemporaryFolder()
            let client = RequestClient(
                io, commands: ["ipc://" + folder.file("commands")], events: ["ipc://" + folder.file("events")])
            let error = await #expect(throws: ResponseTimeoutError.self) {
                try await client.perform(request(), within: .milliseconds(1))
            }
            #expect(error.map { "\($0)".contains("no reply from ipc://") } == true)
        }
    }
}
