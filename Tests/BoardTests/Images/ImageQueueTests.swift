import Concurrency
import TestSupport
import Testing

@testable import Board
@testable import Imaging

/// What images that take long cost those of other hosts.
@Suite(.patience) struct ImageQueueTests {
    private let harness: ImageCacheHarness
    private let red = ImageCacheHarness.image(Color(0xC02040))

    init() throws {
        harness = try ImageCacheHarness()
    }

    @Test("nine images of each of twelve hosts that do not answer hold up no image of another host")
    func slowHosts() async throws {
        let slow = try (0..<12).map { _ in try ScriptedServer { $0.waitForDisconnect() } }
        let other = try ScriptedServer { [red] exchange in exchange.answer(red) }
        let ended = Locked(0)
        try await harness.open { cache in
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for server in slow {
                    for number in 0..<9 {
                        tasks.addTask {
                            _ = await cache.image(at: "\(server.url)/\(number)", .small)
                            ended.withLock { $0 += 1 }
                        }
                    }
                }
                try await waitUntil("four requests to each") { slow.allSatisfy { $0.requests.count >= 4 } }
                #expect(await cache.image(at: other.url, .small) != nil)
                #expect(ended.withLock { $0 } == 0)
                #expect(slow.allSatisfy { $0.requests.count == 4 })
                tasks.cancelAll()
            }
        }
    }

    @Test("a file that has no room while others wait for the decoder is not shown, and fetched again the next time")
    func undecoded() async throws {
        let server = try ScriptedServer { [red] exchange in exchange.answer(red) }
        let decoder = ImageDecoder(program: BuiltProgram.path, deadline: .seconds(120))
        var limits = ImageCache.Limits()
        limits.undecoded = red.count * 3 / 2
        try await harness.open(limits, decoder: decoder) { cache in
            // While the test has the only permit, the first file waits for the decoder.
            let first = try await decoder.permit.withPermit {
                let first = Task { await cache.image(at: "\(server.url)/1", .full) }
                try await waitUntil("the first file waits") { decoder.permit.waiterCount == 1 }
                #expect(await cache.image(at: "\(server.url)/2", .full) == nil)
                return first
            }
            #expect(await first.value != nil)
            #expect(await cache.image(at: "\(server.url)/2", .full) != nil)
        }
        #expect(server.requests.map(\.target) == ["/1", "/2", "/2"])
    }
}
