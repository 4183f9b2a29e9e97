import Concurrency
import TestSupport
import Testing

@testable import ZeroMQ

@Suite("Peers that fall silent")
struct SilentPeerTests {
    @Test("a connection that never greets is closed", .timeLimit(.minutes(5)))
    func noGreeting() async throws {
        var options = SocketOptions()
        options.handshake = .milliseconds(50)
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
            await waitForEnd(of: server.addresses[0], saying: [])
        }
    }

    @Test("a connection that does not answer heartbeats is closed", .timeLimit(.minutes(5)))
    func noHeartbeat() async throws {
        var options = SocketOptions()
        options.heartbeat = .milliseconds(50)
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
            await waitForEnd(of: server.addresses[0], saying: RawPeer.greeting())
        }
    }

    @Test(
        "a publisher gives a subscriber four times as long, who may read slowly and says nothing else",
        .timeLimit(.minutes(5)))
    func slowSubscriber() async throws {
        var options = SocketOptions()
        options.heartbeat = .milliseconds(50)
        try await withThread { thread in
            let publisher = try await thread.open(.publisher, bind: ["tcp://127.0.0.1:*"], options: options)
            let began = ContinuousClock.now
            await waitForEnd(of: publisher.addresses[0], saying: RawPeer.greeting(as: "SUB"))
            #expect(ContinuousClock.now - began >= options.heartbeat * 12)
        }
    }

    /// Connects, says `bytes` and then nothing, and returns when the other side has hung up.
    private func waitForEnd(of address: String, saying bytes: [UInt8]) async {
        let hungUp = await withCheckedContinuation { continuation in
            do {
                try startThread {
                    let peer = RawPeer(connectedTo: address)
                    continuation.resume(returning: peer.say(bytes) && peer.waitForEnd())
                }
            } catch {
                continuation.resume(returning: false)
            }
        }
        #expect(hungUp)
    }
}
