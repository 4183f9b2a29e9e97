import Concurrency
import TestSupport
import Testing

@testable import ZeroMQ

@Suite("Silent peers")
struct SilentPeerTests {
    @Test("a connection without a handshake is closed", .patience)
    func noGreeting() async throws {
        var options = SocketOptions()
        options.handshake = .milliseconds(50)
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
            await waitForEnd(of: server.addresses[0], sending: [])
        }
    }

    @Test("a connection that does not answer heartbeats is closed", .patience)
    func noHeartbeat() async throws {
        var options = SocketOptions()
        options.heartbeat = .milliseconds(50)
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
            await waitForEnd(of: server.addresses[0], sending: RawPeer.greeting())
        }
    }

    @Test(
        "a publisher waits four times as long for a subscriber, which may read slowly and sends nothing else",
        .patience)
    func slowSubscriber() async throws {
        var options = SocketOptions()
        options.heartbeat = .milliseconds(50)
        try await withThread { thread in
            let publisher = try await thread.open(.publisher, bind: ["tcp://127.0.0.1:*"], options: options)
            let began = ContinuousClock.now
            await waitForEnd(of: publisher.addresses[0], sending: RawPeer.greeting(as: "SUB"))
            #expect(ContinuousClock.now - began >= options.heartbeat * 12)
        }
    }

    /// Connects, sends `bytes` and then nothing, and returns when the other side has closed the connection.
    private func waitForEnd(of address: String, sending bytes: [UInt8]) async {
        let isClosed = await withCheckedContinuation { continuation in
            do {
                try startThread {
                    let peer = RawPeer(connectedTo: address)
                    continuation.resume(returning: peer.sendBytes(bytes) && peer.waitForEnd())
                }
            } catch {
                continuation.resume(returning: false)
            }
        }
        #expect(isClosed)
    }
}
