import Concurrency
import EventStoreTestSupport
import FoundationEssentials
import ServiceRuntime
import TestSupport
import Testing
import ZeroMQ

@testable import Contract
@testable import EventStore
@testable import Messaging

/// The ROUTER endpoint, asked by real sockets.
@Suite(.patience) struct CommandServerTests {
    private func withServer(
        _ options: SocketOptions = SocketOptions(), answer: @escaping @Sendable ([Command]) async -> [Reply] = echo,
        _ body: (Socket) async throws -> Void
    ) async throws {
        try await withIO { io in
            let router = try await io.bind(.router, options)
            let server = Task { await CommandServer(router).run(answer) }
            let client = try await io.open(.dealer, connect: router.addresses)
            try await body(client)
            await router.close()
            await server.value
        }
    }

    /// Answers with what was asked.
    @Sendable private static func echo(_ commands: [Command]) -> [Reply] {
        commands.map { Reply(frames: [Array($0.name.utf8)] + $0.frames.dropFirst()) }
    }

    @Test(
        "the reply has the form of the command",
        arguments: [
            (["status", "{}"], ["status", "{}"]), (["", "status", "{}"], ["", "status", "{}"]),
            (["status"], ["status"]), (["", "status"], ["", "status"]), ([""], [""]), (["", ""], ["", ""]),
            (["status", ""], ["status", ""]), (["", "", ""], ["", "", ""]),
        ])
    func form(_ question: [String], _ answer: [String]) async throws {
        try await withServer { client in
            await client.send([Message(question.map { Array($0.utf8) })])
            #expect(await client.next(1) == [Message(answer.map { Array($0.utf8) })])
        }
    }

    @Test(
        "an envelope of any frames goes back before the reply; where one is too long there is none",
        arguments: [
            (["7", ""], ["7", ""]), (["proxy", "client", "7", ""], ["proxy", "client", "7", ""]),
            (Array(repeating: "x", count: 14) + [""], Array(repeating: "x", count: 14) + [""]),
            (Array(repeating: "x", count: 15) + [""], []), ([String(repeating: "x", count: 5_000), ""], []),
        ])
    func envelope(_ envelope: [String], _ returned: [String]) async throws {
        try await withServer { commands in
            commands.map { Reply(frames: [Array($0.name.utf8)]) }
        } _: { client in
            await client.send([Message((envelope + ["status", "{}"]).map { Array($0.utf8) })])
            let answer = try #require(await client.next(1).first)
            #expect(answer.frames.dropLast() == returned.map { Array($0.utf8) }[...])
            #expect((answer.text(at: returned.count) == "status") == !returned.isEmpty)
        }
    }

    @Test("a command that is answered with an error is counted and logged, whatever is wrong with it")
    func refusals() async throws {
        let lines = Locked("")
        let logger = Logger(label: "test") { line in lines.withLock { $0 += String(decoding: line, as: UTF8.self) } }
        let limits = Configuration.ClientLimits(requestsPerSecond: .max, waitingRequests: .max)
        let metrics = Metrics()
        let requestGuard = RequestGuard(nil, limits: limits, metrics: metrics, logger: logger)
        try await withIO { io in
            let router = try await io.bind(.router)
            let server = Task {
                await CommandServer(router, requestGuard: requestGuard).run { commands in
                    commands.map { _ in .refused(ContractError(.badRequest, "there is no such command")) }
                }
            }
            let client = try await io.open(.dealer, connect: router.addresses)
            await client.send([Message("sing", "{}"), Message(Array(repeating: [7], count: 100))])
            #expect(await client.next(2).allSatisfy { $0.text(at: 0) == "refused" })
            // ZMTP 2.0: signature, revision, DEALER, an empty identity, and a message of one frame.
            let old = RawPeer(connectedTo: router.addresses[0])
            #expect(old.sendBytes([0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 1, 5, 0, 0, 0, 4] + "sing".utf8))
            try await waitUntil("replies", look: { router.counters.sent }, is: { $0 == 3 })
            await router.close()
            await server.value
        }
        let figures = try Exposition(await metrics.text())
        #expect(figures["marquee_commands_refused_total"] == 3)
        let log = lines.withLock { $0 }
        for text in ["request refused", "command=sing", "address=127.0.0.1", "code=badRequest", "no such command"] {
            #expect(log.contains(text), "\(log)")
        }
    }

    @Test("each command gets one reply in order, even if the replies exceed the socket's queue")
    func order() async throws {
        var options = SocketOptions()
        options.sendQueueLimit = 2
        try await withServer(options) { client in
            let questions = (0..<500).map { Message("q", String($0)) }
            await client.send(questions)
            #expect(await client.next(500) == questions)
        }
    }

    @Test("invalid commands of any content are refused with an error object")
    func noSilence() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let log = try await EventLogFixture(in: folder)
        let commands = LogHandler(log: log.log, database: log.database) { .status(["version": "1"]) }
        try await withServer {
            await commands.answer($0)
        } _: { client in
            let questions: [[[UInt8]]] = [
                [[]], [[0xFF, 0xFE], []], [Array("stat us".utf8)], [Array(repeating: 0x41, count: 100_000)],
                Array(repeating: Array("x".utf8), count: 20),
            ]
            await client.send(questions.map { Message($0) })
            for message in await client.next(questions.count) {
                let reply = Reply(frames: message.frames)
                #expect(reply.failure?.code == .badRequest)
                #expect(reply.failure?.field == "command")
                #expect(reply.body.count < 400)
            }
            await client.send([Message("status", "{}")])
            #expect(await client.next(1).map(\.frames) == [[Array("status".utf8), Array(#"{"version":"1"}"#.utf8)]])
        }
    }

    @Test("a command with too many frames is refused in order and in the form of the client")
    func tooManyFrames() async throws {
        try await withServer { client in
            let long = Message(Array(repeating: Array("status".utf8), count: 100))
            let enveloped = Message([[7], [8], []] + long.frames)
            await client.send([Message("a", "1"), long, Message("b", "2"), enveloped, Message("c", "3")])
            let answers = await client.next(5)
            #expect([answers[0], answers[2], answers[4]] == [Message("a", "1"), Message("b", "2"), Message("c", "3")])
            #expect(Reply(frames: answers[1].frames).failure?.code == .badRequest)
            #expect(answers[3].frames.prefix(3) == [[7], [8], []])
            #expect(Reply(frames: Array(answers[3].frames.dropFirst(3))).failure?.code == .badRequest)
        }
    }

    @Test("each requested page is sent before the next is read")
    func onePageAtATime() async throws {
        let seen = Locked<[[String]]>([])
        try await withServer { commands in
            seen.withLock { $0.append(commands.map(\.name)) }
            return commands.map { Reply(frames: $0.frames) }
        } _: { client in
            let names = ["status", "replay", "replay", "status", "latest", "replay", "status"]
            let questions = names.map { Message($0, "{}") }
            await client.send(questions)
            #expect(await client.next(questions.count) == questions)
        }
        for names in seen.withLock({ $0 }) { #expect(!names.dropLast().contains { $0 != "status" }) }
    }

    @Test("a client that does not read its pages gets no further ones until it reads; others are served meanwhile")
    func unread() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let log = try await EventLogFixture(in: folder)
        let padding = String(repeating: "x", count: 200_000)
        let topics = try (0..<40).map { try #require(Topic("request.done.\($0)")) }
        try await log.append(topics.map { try EventDraft($0, encoding: ["padding": padding]) })
        let metrics = Metrics()
        let requestGuard = RequestGuard(
            nil, limits: .init(requestsPerSecond: .max, waitingRequests: .max), metrics: metrics)
        let commands = LogHandler(log: log.log, database: log.database, requestGuard: requestGuard) {
            .status(["well": true])
        }
        var options = SocketOptions()
        options.acknowledgement = .seconds(100)
        try await withIO { io in
            let router = try await io.bind(.router, options)
            let server = Task { await CommandServer(router).run(commands.answer) }
            let peer = RawPeer(connectedTo: router.addresses[0])
            let question =
                RawPeer.frame(Array("replay".utf8), more: true) + RawPeer.frame(Array(#"{"stream":"request"}"#.utf8))
            let count = 30
            #expect(
                await onOwnThread {
                    peer.handshake(named: "lazy") && (0..<count).allSatisfy { _ in peer.sendBytes(question) }
                })

            // Who asks behind them is answered when they are.
            let good = try await io.open(.dealer, connect: router.addresses)
            try await waitUntil("questions", look: { router.counters.received }, is: { $0 >= count })
            await good.send([Message("replay", #"{"stream":"request","limit":1}"#)])
            #expect(await good.next(1).first?.text(at: 0) == "events")
            // The only connection with the named client that has unread replies.
            let unread = router.unreadByteTotal
            #expect(unread > 0 && unread < RequestGuard.unreadLimit + (9 << 20))

            let answers = await onOwnThread { (0..<count).compactMap { _ in peer.receiveMessage() } }.map(
                Reply.init(frames:))
            let refused = answers.compactMap(\.failure)
            #expect(answers.count == count && refused.count > 20 && refused.count < count - 2)
            #expect(refused.allSatisfy { $0.code == .overloaded && $0.retryAfter == 1 })
            let figures = try Exposition(await metrics.text())
            #expect(
                figures["marquee_client_refusals_total", ["reason": "unread"]] == Double(refused.count))
            try await waitUntil("unread bytes", look: { router.unreadByteTotal }, is: { $0 == 0 })
            #expect(
                await onOwnThread { peer.sendBytes(question) && peer.receiveMessage()?.first == Array("events".utf8) })
            await router.close()
            await server.value
        }
    }

    @Test("a status that fails is an internal error")
    func brokenStatus() async throws {
        struct Broken: Error {}
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let log = try await EventLogFixture(in: folder)
        let commands = LogHandler(log: log.log, database: log.database) { throw Broken() }
        try await withServer {
            await commands.answer($0)
        } _: { client in
            await client.send([Message("status", "{}")])
            #expect(await client.next(1).first.map { Reply(frames: $0.frames).failure?.code } == .internal)
        }
    }
}
