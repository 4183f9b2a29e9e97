import Concurrency
import TestSupport
import Testing

@testable import ZeroMQ

/// Strangers cannot take the places of clients, nor the processor's time, and a client without rights loses its place.
@Suite("Places for clients", .patience)
struct ClientPlacesTests {
    private let serverKeys = KeyPair()
    private let clientKeys = KeyPair()
    private let otherKeys = KeyPair()
    private let failures = Locked<[HandshakeFailure]>([])
    private let drops = Locked<[DroppedConnection]>([])

    private func makeServer() throws -> IOThread {
        let known = [clientKeys.publicKey: "friend", otherKeys.publicKey: "other"]
        let rules = Encryption.Server(keys: serverKeys) { key, _ in
            known[key].map(Encryption.Admission.admitted(name:)) ?? .refused(.unknownKey)
        }
        return try IOThread(encryption: Encryption(client: nil, server: rules)) { [failures] failure in
            failures.withLock { $0.append(failure) }
        } onDrop: { [drops] drop in
            drops.withLock { $0.append(drop) }
        }
    }

    private func makeClient(_ keys: KeyPair? = nil) throws -> IOThread {
        let client = Encryption.Client(keys: keys ?? clientKeys, server: serverKeys.publicKey)
        return try IOThread(encryption: Encryption(client: client, server: nil))
    }

    /// Connects a client with a known key, and expects its message at the router.
    private func expectClientIsServed(by router: Socket) async throws {
        let clientThread = try makeClient()
        let client = try await clientThread.open(.dealer, connect: router.addresses)
        await client.send([Message("question")])
        #expect(try await router.next().text(at: 1) == "question")
        await clientThread.shutdown()
    }

    /// Options with which a stranger who says nothing stays, however busy the machine is.
    private var patient: SocketOptions {
        var options = SocketOptions()
        options.handshake = .seconds(3_600)
        return options
    }

    private func refusals(_ reason: HandshakeFailure.Reason) -> Int {
        failures.withLock { $0.count { $0.reason == reason } }
    }

    @Test("strangers who connect and say nothing keep no client out: the oldest of them goes")
    func silentStrangers() async throws {
        let thread = try makeServer()
        var options = patient
        options.maximumConnections = 5
        let router = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
        let clientThread = try makeClient()
        let first = try await clientThread.open(.dealer, connect: router.addresses)
        await first.send([Message("first")])
        #expect(try await router.next().text(at: 1) == "first")
        let strangers = (0..<4).map { _ in RawPeer(connectedTo: router.addresses[0]) }
        try await waitUntil("connections", look: { router.counters.connections }, is: { $0 == 5 })

        let second = try await clientThread.open(.dealer, connect: router.addresses)
        await second.send([Message("second")])
        #expect(try await router.next().text(at: 1) == "second")
        #expect(await onOwnThread { strangers[0].waitForEnd() })
        try await waitUntil("a refusal", look: { refusals(.tooManyConnections) }, is: { $0 == 1 })
        await first.send([Message("first again")])
        #expect(try await router.next().text(at: 1) == "first again")
        withExtendedLifetime(strangers) {}
        await clientThread.shutdown()
        await thread.shutdown()
    }

    @Test("an address has a number of connections that have not greeted; one more ends the oldest of them")
    func pending() async throws {
        let thread = try makeServer()
        var options = patient
        options.maximumPendingConnections = 3
        let router = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
        let strangers = (0..<5).map { _ in RawPeer(connectedTo: router.addresses[0]) }
        #expect(await onOwnThread { strangers[0].waitForEnd() && strangers[1].waitForEnd() })
        try await waitUntil("connections", look: { router.counters.connections }, is: { $0 == 3 })
        try await waitUntil("refusals", look: { refusals(.tooManyConnections) }, is: { $0 == 2 })
        try await expectClientIsServed(by: router)
        withExtendedLifetime(strangers) {}
        await thread.shutdown()
    }

    @Test("an address opens so many encrypted connections a second, and more once time has passed")
    func rate() async throws {
        let thread = try makeServer()
        var options = patient
        options.newConnectionsPerSecond = 1
        let router = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: options)
        let begin = ContinuousClock.now
        let strangers = (0..<40).map { _ in RawPeer(connectedTo: router.addresses[0]) }
        // Two at once, and one for each second that a busy machine took.
        try await waitUntil("connections and refusals") {
            router.counters.connections <= 3 + Int((ContinuousClock.now - begin) / .seconds(1))
                && router.counters.connections + refusals(.tooManyConnections) == 40
        }
        try await expectClientIsServed(by: router)
        withExtendedLifetime(strangers) {}
        await thread.shutdown()
    }

    @Test("when a key is withdrawn its connections end, and so does one whose key is not known; no other does")
    func withdrawn() async throws {
        let thread = try makeServer()
        let router = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"], options: patient)
        let publisher = try await thread.open(.publisher, bind: ["tcp://127.0.0.1:*"])
        let (friend, other) = (try makeClient(), try makeClient(otherKeys))
        var dealers: [Socket] = []
        for client in [friend, other] {
            let dealer = try await client.open(.dealer, connect: router.addresses)
            await dealer.send([Message("question")])
            #expect(try await router.next().text(at: 1) == "question")
            dealers.append(dealer)
        }
        let lost = try await friend.open(.subscriber, connect: publisher.addresses, subscriptions: ["a"])
        let reader = try await other.open(.subscriber, connect: publisher.addresses, subscriptions: ["b"])
        await publisher.waitForSubscription(after: 1)
        // It has sent nothing, so nobody knows whose it is.
        let silent = RawPeer(connectedTo: router.addresses[0])
        try await waitUntil("connections", look: { router.counters.connections }, is: { $0 == 3 })

        thread.disconnect(keys: ["friend"])
        #expect(await onOwnThread { silent.waitForEnd() })
        try await waitUntil("drops", look: { drops.withLock { $0.count } }, is: { $0 >= 3 })
        #expect(drops.withLock { $0.map(\.reason) } == [.revoked, .revoked, .revoked])
        #expect(drops.withLock { Set($0.map(\.socket)) } == [.router, .publisher])
        await publisher.send([Message("b", "news")])
        #expect(try await reader.next() == Message("b", "news"))
        try await waitUntil("disconnections of the publisher and of the router") {
            [publisher.counters.disconnections, router.counters.disconnections]
        } is: {
            $0 == [1, 2]
        }
        withExtendedLifetime((dealers, lost)) {}
        await friend.shutdown()
        await other.shutdown()
        await thread.shutdown()
    }
}
