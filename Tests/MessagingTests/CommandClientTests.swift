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
            let clock = ManualClock()
            let client = try await CommandClient(io, addresses: router.addresses, clock: clock)
            let first = Task { try await client.ask("first", within: .seconds(1)) }
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

    @Test("a command that a host leaves unanswered goes to the next one, which is then the first to be asked")
    func nextHost() async throws {
        try await withIO { io in
            let (silent, answering) = (try await io.bind(.router), try await io.bind(.router))
            var (unanswered, commands) = (
                silent.commands().makeAsyncIterator(), answering.commands().makeAsyncIterator()
            )
            let clock = ManualClock()
            let client = try await CommandClient(io, addresses: silent.addresses + answering.addresses, clock: clock)
            async let reply = client.ask("fetch.day", #"{"id":"a"}"#)
            let question = await unanswered.next()
            await clock.sleepers()
            clock.advance(by: .seconds(1))
            let again = await commands.next()
            #expect(again?.frames == question?.frames)
            try answer(again, on: answering)
            #expect(try await reply.frames == Message("fetch.day", #"{"id":"a"}"#).frames)
            #expect(await client.address == answering.addresses[0])
            async let next = client.ask("status")
            try answer(await commands.next(), on: answering)
            #expect(try await next.word == "status")
        }
    }

    @Test("a command that no host answers fails with an error that names all of them")
    func allSilent() async throws {
        try await withIO { io in
            let folder = try TemporaryFolder()
            let addresses = ["a", "b"].map { "ipc://" + folder.file($0) }
            let client = try await CommandClient(io, addresses: addresses)
            let error = await #expect(throws: ResponseTimeoutError.self) {
                try await client.ask("status", within: .milliseconds(1))
            }
            #expect(error.map { "\($0)".contains("no reply from any of \(addresses[0]), \(addresses[1]):") } == true)
        }
    }

    @Test("concurrent commands get their own replies")
    func atOnce() async throws {
        try await withIO { io in
            let router = try await io.bind(.router)
            var commands = router.commands().makeAsyncIterator()
            let client = try await CommandClient(io, addresses: router.addresses)
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
            let client = try await CommandClient(io, addresses: [address])
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
            let client = try await CommandClient(io, addresses: [address])
            async let reply = client.ask("status")
            let router = try await io.open(.router, bind: [address])
            var commands = router.commands().makeAsyncIterator()
            try answer(await commands.next(), on: router)
            #expect(try await reply.word == "status")
        }
    }
}
