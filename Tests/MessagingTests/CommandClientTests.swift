import Concurrency
import Contract
import Messaging
import TestSupport
import Testing
import ZeroMQ

@Suite(.patience) struct CommandClientTests {
    private func answer(_ command: Command?, on router: Socket) throws {
        let command = try #require(command)
        router.post([command.answer(Reply(frames: command.frames))])
    }

    @Test("an abandoned command gets no reply, and the next one gets its own")
    func lateAnswer() async throws {
        try await withIO { io in
            let router = try await io.bind(.router)
            var commands = router.commands().makeAsyncIterator()
            let client = try await CommandClient(io, address: router.addresses[0])
            let clock = ManualClock()
            let first = Task {
                try await withDeadline(.seconds(1), orThrow: ResponseTimeoutError(address: "there"), clock: clock) {
                    try await client.ask("first")
                }
            }
            let late = try #require(await commands.next())
            await clock.sleepers()
            clock.advance(by: .seconds(1))
            await #expect(throws: ResponseTimeoutError.self) { try await first.value }
            async let second = client.ask("second")
            let question = await commands.next()
            try answer(late, on: router)
            try answer(question, on: router)
            #expect(try await second.word == "second")
            await client.close()
        }
    }

    @Test("concurrent commands get their own replies")
    func atOnce() async throws {
        try await withIO { io in
            let router = try await io.bind(.router)
            var commands = router.commands().makeAsyncIterator()
            let client = try await CommandClient(io, address: router.addresses[0])
            async let one = client.ask("one")
            async let two = client.ask("two")
            async let three = client.ask("three")
            var questions: [Command?] = []
            for _ in 0..<3 { questions.append(await commands.next()) }
            for question in questions.reversed() { try answer(question, on: router) }
            #expect(try await [one.word, two.word, three.word] == ["one", "two", "three"])
        }
    }

    @Test("a command and its reply pass through proxies")
    func proxies() async throws {
        try await withIO { io in
            let router = try await io.bind(.router)
            var commands = router.commands().makeAsyncIterator()
            var address = router.addresses[0]
            var forwarding: [Task<Void, Never>] = []
            for _ in 0..<2 {
                let front = try await io.bind(.router)
                let back = try await io.open(.dealer, connect: [address])
                forwarding.append(
                    Task { for await batch in front.incoming { await back.send(batch.map { Message($0.frames) }) } })
                forwarding.append(
                    Task { for await batch in back.incoming { await front.send(batch.map { Message($0.frames) }) } })
                address = front.addresses[0]
            }
            let client = try await CommandClient(io, address: address)
            async let reply = client.ask("status", "{}")
            let question = await commands.next()
            #expect(question?.frames == Message("status", "{}").frames)
            try answer(question, on: router)
            #expect(try await reply.frames == Message("status", "{}").frames)
            for task in forwarding { task.cancel() }
        }
    }

    @Test("a client waits for a process that has not started yet")
    func early() async throws {
        try await withIO { io in
            let folder = try TemporaryFolder()
            let address = "ipc://" + folder.file("commands")
            let client = try await CommandClient(io, address: address)
            async let reply = client.ask("status")
            let router = try await io.open(.router, bind: [address])
            var commands = router.commands().makeAsyncIterator()
            try answer(await commands.next(), on: router)
            #expect(try await reply.word == "status")
        }
    }
}
