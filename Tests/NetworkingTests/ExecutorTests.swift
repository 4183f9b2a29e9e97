import Glibc
import TestSupport
import Testing

@testable import Networking

/// Tasks on the client's thread.
@Suite(.patience)
struct ExecutorTests {
    @Test("A task that prefers the client's thread sends, receives and continues there")
    func oneThread() async throws {
        let client = HTTPClient(retry: .patient)
        let server = try ScriptedServer { $0.answer("x") }
        let request = HTTPRequest(server.url)
        let endpoint = Endpoint(service: "test", request: request) { _ throws(UpstreamError) in Self.thread }
        let threads = try await withTaskExecutorPreference(client.executor) {
            [Self.thread, try await client.send(endpoint), Self.thread]
        }
        #expect(Set(threads).count == 1 && threads[0] != Self.thread)
        // Somebody else's answer is read there as well, and he goes on where he was.
        #expect(try await client.send(endpoint) == threads[0])
    }

    @Test("A task that prefers the client's thread outlives it", arguments: [HTTPRequest.Method.get, .post])
    func afterwards(method: HTTPRequest.Method) async throws {
        let client = HTTPClient(retry: .patient)
        let server = try ScriptedServer { $0.waitForDisconnect() }
        var arrivals = server.arrivals.makeAsyncIterator()
        let request = HTTPRequest(server.url, method: method)
        let task = Task(executorPreference: client.executor) {
            var kinds: [UpstreamError.Kind?] = []
            for _ in 1...2 {
                // It goes on where it prefers to, or where it can.
                try? await Task.sleep(for: .milliseconds(1))
                let error = await failure { () async throws(UpstreamError) in
                    _ = try await client.send(.text(request))
                }
                kinds.append(error?.kind)
            }
            return kinds
        }
        _ = await arrivals.next()
        await client.shutdown()
        #expect(await task.value == [.cancelled, .cancelled])
    }

    private static var thread: UInt { pthread_self() }
}
