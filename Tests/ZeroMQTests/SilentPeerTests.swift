import Concurrency
import Glibc
import TestSupport
import Testing

@testable import ZeroMQ

@Suite("Silent peers")
struct SilentPeerTests {
    @Test("an encrypted connection without a handshake is closed", .patience)
    func noGreeting() async throws {
        var options = SocketOptions()
        options.handshake = .milliseconds(50)
        let rules = Encryption.Server(keys: KeyPair()) { _, _ in .refused(.unknownKey) }
        let thread = try IOThread(encryption: Encryption(client: nil, server: rules))
        let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
        await waitForEnd(of: server.addresses[0], sending: [])
        await thread.shutdown()
    }

    @Test("a client whose announced heartbeats stay away is disconnected", .patience)
    func noHeartbeat() async throws {
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"])
            // A command: PING, and that the next one comes within a tenth of a second.
            let ping: [UInt8] = [4, 7, 4] + "PING".utf8 + [0, 1]
            await waitForEnd(of: server.addresses[0], sending: RawPeer.greeting() + ping)
        }
    }

    @Test("a server that does not answer heartbeats is left", .patience)
    func silentServer() async throws {
        var options = SocketOptions()
        options.heartbeat = .milliseconds(50)
        try await withThread { thread in
            let server = try SilentServer()
            let client = try await thread.open(.dealer, connect: [server.address], options: options)
            // A second connection is made only once the first one is given up.
            #expect(await onOwnThread { server.answerOne() && server.answerOne() })
            withExtendedLifetime(client) {}
        }
    }

    @Test("a client of ZMTP 3.0, which knows no heartbeats, receives messages and nothing else", .patience)
    func oldClients() async throws {
        var options = SocketOptions()
        options.heartbeat = .milliseconds(50)
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
            let publisher = try await thread.open(.publisher, bind: ["tcp://127.0.0.1:*"], options: options)
            let (asking, subscribed) = (
                RawPeer(connectedTo: server.addresses[0]), RawPeer(connectedTo: publisher.addresses[0])
            )
            #expect(
                await onOwnThread {
                    asking.handshake() && asking.sendBytes(RawPeer.frame([1]))
                        && subscribed.handshake(as: "SUB") && subscribed.sendBytes(RawPeer.frame([1]))
                })
            let question = try await server.next()
            await publisher.waitForSubscription()
            // Long enough for several heartbeats.
            try await Task.sleep(for: options.heartbeat * 10)
            await server.send([question.answered(with: [2])])
            publisher.post([Message("news")])
            #expect(await onOwnThread { asking.receiveFrame() } == [2])
            #expect(await onOwnThread { subscribed.receiveFrame() } == Array("news".utf8))
        }
    }

    /// Signature, revision, type and an empty identity.
    private func secondVersion(as type: UInt8) -> [UInt8] {
        [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 1, type, 0, 0]
    }

    @Test("a subscriber of ZMTP 1.0 or 2.0, whose greeting is all of its handshake, stays", .patience)
    func oldestSubscribers() async throws {
        var options = SocketOptions()
        options.handshake = .milliseconds(200)
        try await withThread { thread in
            let publisher = try await thread.open(.publisher, bind: ["tcp://127.0.0.1:*"], options: options)
            let (first, second) = (
                RawPeer(connectedTo: publisher.addresses[0]), RawPeer(connectedTo: publisher.addresses[0])
            )
            // An empty identity; and a subscription to everything.
            #expect(first.sendBytes([1, 0]) && second.sendBytes(secondVersion(as: 2) + [0, 1, 1]))
            await publisher.waitForSubscription(after: 1)
            try await Task.sleep(for: options.handshake * 10)
            #expect(publisher.counters.connections == 2 && publisher.counters.disconnections == 0)
            withExtendedLifetime((first, second)) {}
        }
    }

    @Test(
        "a message of ZMTP 2.0 is refused in words: libzmq does not say over which connection it came", .patience,
        arguments: [(SocketKind.router, UInt8(5)), (.subscriber, 1)])
    func oldestSenders(kind: SocketKind, type: UInt8) async throws {
        let failures = Locked<[HandshakeFailure.Reason]>([])
        let thread = try IOThread { failure in failures.withLock { $0.append(failure.reason) } }
        let server = try await thread.open(
            kind, bind: ["tcp://127.0.0.1:*"], subscriptions: kind == .subscriber ? [""] : [])
        let peer = RawPeer(connectedTo: server.addresses[0])
        #expect(peer.sendBytes(secondVersion(as: type) + [0, 1, 7]))
        if kind == .router {
            let message = try await server.next()
            #expect(message.truncation == .oldPeer && message.frames.last == [7])
        } else {
            try await waitUntil("refused messages", look: { server.counters.refused }, is: { $0 == 1 })
            #expect(failures.withLock { $0 } == [.version] && server.counters.received == 0)
        }
        await thread.shutdown()
        withExtendedLifetime(peer) {}
    }

    @Test("a client that takes nothing of what is sent to it is disconnected", .patience)
    func stalled() async throws {
        var options = SocketOptions()
        options.acknowledgement = .milliseconds(200)
        try await withThread { thread in
            let publisher = try await thread.open(.publisher, bind: ["tcp://127.0.0.1:*"], options: options)
            let peer = RawPeer(connectedTo: publisher.addresses[0])
            #expect(await onOwnThread { peer.handshake(as: "SUB") && peer.sendBytes(RawPeer.frame([1])) })
            await publisher.waitForSubscription()
            let news = [Message](repeating: Message([[UInt8](repeating: 7, count: 1 << 20)]), count: 30)
            publisher.post(news)
            try await waitUntil("connections", look: { publisher.counters.connections }, is: { $0 == 0 })
            withExtendedLifetime(peer) {}
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

/// A server that greets its clients and then says nothing.
private final class SilentServer: Sendable {
    let address: String
    private let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)

    init() throws {
        var here = sockaddr_in()
        here.sin_family = sa_family_t(AF_INET)
        here.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &here) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 1) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        try #require(isListening)
        address = "tcp://127.0.0.1:\(UInt16(bigEndian: here.sin_port))"
    }

    deinit {
        close(listener)
    }

    /// Accepts a client, greets it, and returns when it has ended the connection.
    func answerOne() -> Bool {
        let client = accept(listener, nil, nil)
        defer { close(client) }
        let greeting = RawPeer.greeting(as: "ROUTER")
        guard send(client, greeting, greeting.count, Int32(MSG_NOSIGNAL)) == greeting.count else { return false }
        var bytes = [UInt8](repeating: 0, count: 256)
        while recv(client, &bytes, bytes.count, 0) > 0 {}
        return true
    }
}
