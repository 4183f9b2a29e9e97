import TestSupport
import Testing

@testable import ServiceRuntime

/// The calls of services in their order. A test can wait for them.
private final class CallRecord: Sendable {
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

/// A service that records its calls.
private struct MockService: Service {
    struct Failure: Error, Equatable { var name: String }

    let name: String
    let record: CallRecord
    var obeysStop = true
    private let outcome = AsyncStream<Failure?>.makeStream()

    init(_ name: String, _ record: CallRecord, obeysStop: Bool = true) {
        self.name = name
        self.record = record
        self.obeysStop = obeysStop
    }

    func run() async throws {
        record.write("\(name) runs")
        defer { record.write("\(name) ended") }
        for await failure in outcome.stream {
            if let failure { throw failure }
            return
        }
        record.write("\(name) is cancelled")
        try Task.checkCancellation()
    }

    func stop() async {
        record.write("\(name) is stopped")
        if obeysStop { outcome.continuation.yield(nil) }
    }

    func fail() { outcome.continuation.yield(Failure(name: name)) }
    func end() { outcome.continuation.yield(nil) }
}

@Suite struct ServiceGroupTests {
    private let record = CallRecord()
    private let clock = ManualClock()

    private static let never: @Sendable () async -> Void = {
        for await _ in AsyncStream<Void>.makeStream().stream {}
    }

    private func run(_ services: [MockService], until stopRequested: @escaping @Sendable () async -> Void) async throws
    {
        try await ServiceGroup(services, grace: .seconds(5), clock: clock).run(until: stopRequested)
    }

    @Test("services start in order and stop in reverse, one after the other", .patience)
    func order() async throws {
        try await run([MockService("a", record), MockService("b", record), MockService("c", record)]) {}
        #expect(
            await record.read(9) == [
                "a runs", "b runs", "c runs", "c is stopped", "c ended", "b is stopped", "b ended", "a is stopped",
                "a ended",
            ])
    }

    @Test("the first failure stops the group and is thrown", .patience)
    func failure() async throws {
        let services = [MockService("a", record), MockService("b", record), MockService("c", record)]
        services[1].fail()
        await #expect(throws: MockService.Failure(name: "b")) { try await run(services, until: Self.never) }
        let happened = await record.read(8)
        #expect(
            happened.filter { $0 != "b ended" } == ["a runs", "b runs", "c runs"] + [
                "c is stopped", "c ended", "a is stopped", "a ended",
            ])
    }

    @Test("a service that ends by itself ends the group", .patience)
    func ending() async throws {
        let services = [MockService("a", record), MockService("b", record)]
        services[0].end()
        try await run(services, until: Self.never)
    }

    @Test("services that run after the grace period are cancelled, and that is not a failure", .patience)
    func grace() async throws {
        let stubborn = MockService("stubborn", record, obeysStop: false)
        async let ended: Void = run([MockService("a", record), stubborn]) {}
        #expect(await record.read(3) == ["a runs", "stubborn runs", "stubborn is stopped"])
        await clock.sleepers()
        clock.advance(by: .seconds(5))
        try await ended
        #expect(Set(await record.read(4)).contains("stubborn is cancelled"))
    }

    @Test("a group whose task is cancelled ends", .patience)
    func cancellation() async throws {
        let group = Task { try await run([MockService("a", record, obeysStop: false)], until: Self.never) }
        #expect(await record.read(1) == ["a runs"])
        group.cancel()
        _ = await group.result
    }

    @Test("a group without services ends at once", .patience)
    func empty() async throws {
        try await run([], until: Self.never)
    }
}
