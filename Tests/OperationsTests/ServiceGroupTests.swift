import TestSupport
import Testing

@testable import Operations

/// What services did, in order, for a test to wait for.
private final class Journal: Sendable {
    private let stream = AsyncStream<String>.makeStream()

    func write(_ entry: String) { stream.continuation.yield(entry) }

    /// The first `count` entries.
    func read(_ count: Int) async -> [String] {
        var read: [String] = []
        for await entry in stream.stream {
            read.append(entry)
            if read.count == count { break }
        }
        return read
    }
}

/// A service that writes down what happens to it.
private struct MockService: Service {
    struct Failure: Error, Equatable { var name: String }

    let name: String
    let journal: Journal
    var hearsStop = true
    private let end = AsyncStream<Failure?>.makeStream()

    init(_ name: String, _ journal: Journal, hearsStop: Bool = true) {
        self.name = name
        self.journal = journal
        self.hearsStop = hearsStop
    }

    func run() async throws {
        journal.write("\(name) runs")
        defer { journal.write("\(name) ended") }
        for await failure in end.stream {
            if let failure { throw failure }
            return
        }
        journal.write("\(name) is cancelled")
        try Task.checkCancellation()
    }

    func stop() async {
        journal.write("\(name) is told")
        if hearsStop { end.continuation.yield(nil) }
    }

    func fail() { end.continuation.yield(Failure(name: name)) }
    func leave() { end.continuation.yield(nil) }
}

@Suite struct ServiceGroupTests {
    private let journal = Journal()
    private let clock = ManualClock()

    private static let never: @Sendable () async -> Void = {
        for await _ in AsyncStream<Void>.makeStream().stream {}
    }

    private func run(_ services: [MockService], until asked: @escaping @Sendable () async -> Void) async throws {
        try await ServiceGroup(services, grace: .seconds(5), clock: clock).run(until: asked)
    }

    @Test("services start in order and stop in reverse, one after the other", .timeLimit(.minutes(5)))
    func order() async throws {
        try await run([MockService("a", journal), MockService("b", journal), MockService("c", journal)]) {}
        #expect(
            await journal.read(9) == [
                "a runs", "b runs", "c runs", "c is told", "c ended", "b is told", "b ended", "a is told", "a ended",
            ])
    }

    @Test("the first failure stops the group and is thrown", .timeLimit(.minutes(5)))
    func failure() async throws {
        let services = [MockService("a", journal), MockService("b", journal), MockService("c", journal)]
        services[1].fail()
        await #expect(throws: MockService.Failure(name: "b")) { try await run(services, until: Self.never) }
        let happened = await journal.read(8)
        #expect(
            happened.filter { $0 != "b ended" } == ["a runs", "b runs", "c runs"] + [
                "c is told", "c ended", "a is told", "a ended",
            ])
    }

    @Test("a service that ends by itself ends the group", .timeLimit(.minutes(5)))
    func leaving() async throws {
        let services = [MockService("a", journal), MockService("b", journal)]
        services[0].leave()
        try await run(services, until: Self.never)
    }

    @Test("what still runs after the grace is cancelled, and that is no failure", .timeLimit(.minutes(5)))
    func grace() async throws {
        let deaf = MockService("deaf", journal, hearsStop: false)
        async let ended: Void = run([MockService("a", journal), deaf]) {}
        #expect(await journal.read(3) == ["a runs", "deaf runs", "deaf is told"])
        await clock.sleepers()
        clock.advance(by: .seconds(5))
        try await ended
        #expect(Set(await journal.read(4)).contains("deaf is cancelled"))
    }

    @Test("a group whose task is cancelled ends", .timeLimit(.minutes(5)))
    func cancellation() async throws {
        let group = Task { try await run([MockService("a", journal, hearsStop: false)], until: Self.never) }
        #expect(await journal.read(1) == ["a runs"])
        group.cancel()
        _ = await group.result
    }

    @Test("a group without services ends at once", .timeLimit(.minutes(5)))
    func empty() async throws {
        try await run([], until: Self.never)
    }
}
