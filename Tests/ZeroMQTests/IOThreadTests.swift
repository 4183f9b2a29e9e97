import Concurrency
import Glibc
import TestSupport
import Testing

@testable import ZeroMQ

@Suite("The I/O thread")
struct IOThreadTests {
    @Test("binding to an address in use fails with a clear error", .patience)
    func addressInUse() async throws {
        try await withThread { thread in
            let first = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"])
            let address = first.addresses[0]
            let error = await #expect(throws: ZeroMQError.self) {
                try await thread.open(.publisher, bind: [address])
            }
            #expect(error?.reason == .addressInUse)
            #expect(error?.description == "bind \(address): address in use (errno 98)")
        }
    }

    @Test(
        "binding to an invalid address fails with a clear error", .patience,
        arguments: [
            ("127.0.0.1:5550", ZeroMQError.Reason.invalidAddress), ("tcp://127.0.0.1", .invalidAddress),
            ("http://127.0.0.1:5550", .invalidAddress), ("tcp://192.0.2.1:5550", .addressNotAvailable),
            ("tcp://worker:5550", .addressNotAvailable), ("ipc:///nowhere/socket", .other),
        ])
    func badAddress(address: String, reason: ZeroMQError.Reason) async throws {
        try await withThread { thread in
            let error = await #expect(throws: ZeroMQError.self) { try await thread.open(.router, bind: [address]) }
            #expect(error?.reason == reason)
            #expect(error?.description.hasPrefix("bind \(address): ") == true)
        }
    }

    @Test("shutting down does not wait for an unreachable peer", .patience)
    func unconnectedPeer() async throws {
        let thread = try IOThread()
        var options = SocketOptions()
        options.sendHighWater = 10
        let client = try await thread.open(.dealer, connect: ["tcp://127.0.0.1:1"], options: options)
        client.post(numbered(1000))
        await thread.shutdown()
        #expect(client.counters.dropped == 990)
        #expect(client.counters.sent == 10)
    }

    @Test("messages queued at shutdown still arrive", .patience)
    func lingering() async throws {
        try await withThread { other in
            let server = try await other.open(.router, bind: ["tcp://127.0.0.1:*"])
            let thread = try IOThread()
            var options = SocketOptions()
            options.linger = .seconds(60)  // shutdown returns once all is sent, however busy the machine is
            let client = try await thread.open(.dealer, connect: server.addresses, options: options)
            client.post(numbered(5000))
            await thread.shutdown()
            #expect(client.counters.dropped == 0)
            #expect(await server.next(5000).count == 5000)
        }
    }

    @Test("after shutdown sequences end, messages are returned and no socket opens", .patience)
    func afterShutdown() async throws {
        let thread = try IOThread()
        let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"])
        async let received = server.next(1)
        await thread.shutdown()
        await thread.shutdown()

        #expect(await received.isEmpty)
        #expect(await server.send([Message("a", "b")]) == [Message("a", "b")])
        #expect(server.post([Message("a", "b")]) == [Message("a", "b")])
        let error = await #expect(throws: ZeroMQError.self) {
            try await thread.open(.router, bind: ["tcp://127.0.0.1:*"])
        }
        #expect(error?.reason == .closed)
        await server.close()
    }

    @Test("messages received before closing can still be read", .patience)
    func leftovers() async throws {
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"])
            let client = try await thread.open(.dealer, connect: server.addresses)
            await client.send([Message("hello")])
            #expect(await server.shared.receiveQueue.state.wait(until: { !$0.messages.isEmpty }))
            await server.close()
            #expect(await server.next(2).count == 1)
        }
    }

    @Test("after shutdown the ports are free", .patience)
    func freePorts() async throws {
        let address = "tcp://127.0.0.1:\(try reservePort())"
        for _ in 1...2 {
            try await withThread { thread in
                // A process that is being started has the port, too, until it becomes another program.
                let addresses = try await waitUntil("the port is free") { () async throws -> [String]? in
                    do throws(ZeroMQError) {
                        return try await thread.open(.router, bind: [address]).addresses
                    } catch {
                        guard error.reason == .addressInUse else { throw error }
                        return nil
                    }
                } is: {
                    $0 != nil
                }
                #expect(addresses == [address])
            }
        }
    }

    @Test("a socket stays open while a task iterates", .patience)
    func iterationKeeps() async throws {
        try await withThread { thread in
            func listen() async throws -> (String, some AsyncSequence<[Message], Never>) {
                let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"])
                return (server.addresses[0], server.incoming)
            }
            let (address, incoming) = try await listen()
            let client = try await thread.open(.dealer, connect: [address])
            await client.send([Message("hello")])
            for await batch in incoming {
                #expect(batch.map { $0.text(at: 1) } == ["hello"])
                break
            }
        }
    }

    @Test("a released thread ends without being shut down", .patience)
    func released() async throws {
        try await withThread { other in
            let server = try await other.open(.router, bind: ["tcp://127.0.0.1:*"])
            do {
                let thread = try IOThread()
                var options = SocketOptions()
                options.linger = .seconds(60)  // however busy the machine is
                let client = try await thread.open(.dealer, connect: server.addresses, options: options)
                client.post([Message("goodbye")])
            }
            #expect(try await server.next().text(at: 1) == "goodbye")
        }
    }

    @Test("a cancelled iteration ends", .patience)
    func cancelledReader() async throws {
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"])
            let reading = Task { await server.next(1) }
            reading.cancel()
            #expect(await reading.value.isEmpty)
        }
    }

    @Test("a task runs on the thread, even after the sockets are closed", .patience)
    func executor() async throws {
        let thread = try IOThread()
        #expect(!thread.isCurrent)
        let counter = Counter()
        await withTaskExecutorPreference(thread) {
            await withTaskGroup { group in
                for _ in 0..<1000 { group.addTask { await counter.increment() } }
            }
            #expect(thread.isCurrent)
            await thread.shutdown()
            await counter.increment()
            #expect(thread.isCurrent)
        }
        #expect(!thread.isCurrent)
        #expect(await counter.value == 1001)
    }

    @Test("a reply of a task on the thread has left when the task continues", .patience)
    func answersOnThread() async throws {
        try await withThread { thread in
            let server = try await thread.open(.router, bind: ["tcp://127.0.0.1:*"])
            let client = try await thread.open(.dealer, connect: server.addresses)
            async let served: Void = withTaskExecutorPreference(thread) {
                var answered = 0
                for await batch in server.incoming {
                    #expect(thread.isCurrent)
                    await server.send(batch)
                    answered += batch.count
                    #expect(server.counters.sent == answered)
                }
            }
            for number in 0..<100 {
                await client.send([Message("\(number)")])
                #expect(try await client.next().frames == [Array("\(number)".utf8)])
            }
            await server.close()
            await served
        }
    }
}

extension IOThread {
    fileprivate var isCurrent: Bool { pthread_equal(pthread_self(), thread) != 0 }
}

private actor Counter {
    var value = 0

    func increment() {
        value += 1
    }
}
