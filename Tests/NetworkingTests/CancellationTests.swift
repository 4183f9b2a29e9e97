import Foundation
import TestSupport
import Testing

@testable import Networking

@Suite(.patience)
struct CancellationTests {
    @Test(
        "Cancelling around the time of the response never hangs, a thousand times",
        arguments: [HTTPRequest.Method.get, .post])
    func races(method: HTTPRequest.Method) async throws {
        let client = HTTPClient(limits: HTTPClient.Limits(perHost: 8), retry: .patient)
        let server = try ScriptedServer { $0.answer("x") }
        var arrivals = server.arrivals.makeAsyncIterator()
        var outcomes: [String: Int] = [:]
        for round in 1...1000 {
            let request = HTTPRequest("\(server.url)/\(round)", method: method)
            let task = Task { try await client.send(.text(request)) }
            // From before the request is made to after its answer has come.
            switch round % 4 {
            case 0: break
            case 1: try await Task.sleep(for: .microseconds(1))
            case 2: _ = await arrivals.next()
            default: try await Task.sleep(for: .microseconds(10 * (round % 64)))
            }
            task.cancel()
            switch await task.result {
            case .success: outcomes["answered", default: 0] += 1
            case .failure(let error as UpstreamError): outcomes[error.kind.rawValue, default: 0] += 1
            case .failure(let error): Issue.record(error)
            }
        }
        #expect(Set(outcomes.keys).isSubset(of: ["answered", "cancelled"]), "\(outcomes)")
        #expect(outcomes.values.reduce(0, +) == 1000)
        #expect(try await client.send(.text(HTTPRequest(server.url))) == "x")
    }

    @Test("A task that is already cancelled sends nothing")
    func cancelledBefore() async throws {
        let client = HTTPClient(retry: .patient)
        let server = try ScriptedServer { $0.answer() }
        let task = Task {
            try? await Task.sleep(for: .seconds(86_400))  // until it is cancelled
            return await failure { () async throws(UpstreamError) in
                try await client.send(.text(HTTPRequest(server.url)))
            }
        }
        task.cancel()
        #expect(await task.value?.kind == .cancelled)
        #expect(server.requests.isEmpty)
    }

    @Test("A cancellation before the transfer is enqueued is not lost")
    func cancelledWhileEntering() async throws {
        let transport = Transport(limits: HTTPClient.Limits())
        let server = try ScriptedServer { $0.waitForDisconnect() }
        let request = HTTPRequest(server.url)
        let task = Task {
            try? await Task.sleep(for: .seconds(86_400))  // until it is cancelled
            var kinds: Set<UpstreamError.Kind?> = []
            // Whether the loop sees the cancellation before the order is a matter of chance.
            for _ in 1...1000 {
                let outcome = await transport.perform(request, timeout: .seconds(3600), deadline: .seconds(3600))
                if case .failure(let failure) = outcome { kinds.insert(failure.kind) }
            }
            return kinds
        }
        task.cancel()
        #expect(await task.value == [.cancelled])
    }

    @Test("Cancelling the caller ends a pause between attempts")
    func cancelledPause() async throws {
        let server = try ScriptedServer { $0.answer(status: 503) }
        let asleep = AsyncStream.makeStream(of: Void.self)
        var retryEnvironment = HTTPClient.RetryEnvironment.system
        retryEnvironment.sleep = { _ in
            asleep.continuation.yield()
            try await Task.sleep(for: .seconds(3600))
        }
        let client = HTTPClient(retryEnvironment: retryEnvironment)
        let task = Task {
            await failure { () async throws(UpstreamError) in try await client.send(.text(HTTPRequest(server.url))) }
        }
        for await _ in asleep.stream { break }
        task.cancel()
        #expect(await task.value?.kind == .cancelled)
    }

    @Test("Shutdown cancels running, waiting, pausing and later requests")
    func shutdown() async throws {
        let server = try ScriptedServer { $0.waitForDisconnect() }
        let client = HTTPClient(limits: HTTPClient.Limits(perHost: 2))
        await withTaskGroup(of: UpstreamError?.self) { group in
            for page in 1...6 {
                let method: HTTPRequest.Method = page.isMultiple(of: 2) ? .get : .post
                group.addTask {
                    await failure { () async throws(UpstreamError) in
                        try await client.send(.text(HTTPRequest("\(server.url)/\(page)", method: method)))
                    }
                }
            }
            var arrivals = server.arrivals.makeAsyncIterator()
            for _ in 1...2 { _ = await arrivals.next() }
            await client.shutdown()
            await client.shutdown()
            for await error in group { #expect(error?.kind == .cancelled) }
        }
        for method in [HTTPRequest.Method.get, .post] {
            let error = await failure { () async throws(UpstreamError) in
                try await client.send(.text(HTTPRequest(server.url, method: method)))
            }
            #expect(error?.kind == .cancelled)
        }
    }

    @Test("A released client closes its connections")
    func dropped() async throws {
        let hungUp = AsyncStream.makeStream(of: Void.self)
        let server = try ScriptedServer { exchange in
            exchange.answer()
            exchange.waitForDisconnect()
            hungUp.continuation.yield()
        }
        _ = try await HTTPClient(retry: .patient).send(.text(HTTPRequest(server.url)))
        for await _ in hungUp.stream { break }
    }
}
