import Foundation
import TestSupport
import Testing

@testable import Networking

@Suite(.patience)
struct RetryTests {
    private let time = ManualTime()
    private let policy = RetryPolicy(attempts: 3, base: .seconds(1), cap: .seconds(60))

    @Test("Only transient failures are retried", arguments: [408, 425, 429, 500, 502, 503, 504])
    func transient(status: Int) async throws {
        let server = try ScriptedServer { $0.answer(status: status) }
        let error = await ask(server)
        #expect(error?.status == status)
        #expect(error?.message.contains(", after 3 attempts (GET ") == true)
        #expect(server.requests.count == 3)
        #expect(time.pauses == [.milliseconds(500), .seconds(1)])
    }

    @Test(
        "Client errors are final",
        arguments: [301, 400, 401, 402, 403, 404, 405, 406, 409, 410, 413, 418, 422, 426, 451])
    func final(status: Int) async throws {
        let server = try ScriptedServer { $0.answer(status: status) }
        #expect(await ask(server)?.status == status)
        #expect(server.requests.count == 1)
    }

    @Test("An HTML page with a client error's status is not requested again, and no notice")
    func page() async throws {
        let server = try ScriptedServer { $0.answer("<html>", status: 404) }
        let client = HTTPClient(retry: policy, retryEnvironment: time.retryEnvironment)
        let endpoint = APICall<[Int]>(service: "test", request: HTTPRequest(server.url))
        let error = await failure { () async throws(UpstreamError) in try await client.send(endpoint) }
        #expect(error?.kind == .notFound)
        #expect(server.requests.count == 1)
    }

    @Test("A redirect is not requested again, and the error has the new address without its query")
    func redirect() async throws {
        let server = try ScriptedServer { $0.answer(status: 301, headers: ["Location: /new/list.json?key=s3cret"]) }
        let query = [HTTPField("key", "s3cret", isSecret: true)]
        let error = await ask(server, HTTPRequest("\(server.url)/list.json", query: query))
        #expect(error?.kind == .wrongAddress)
        #expect(error?.message.contains("redirects to \(server.url)/new/list.json:") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("s3cret") == false)
        #expect(server.requests.count == 1)
    }

    @Test("Each attempt is reported with its result; an attempt that was not booked is not reported")
    func reports() async throws {
        let server = try ScriptedServer { exchange in
            if exchange.number == 1 { exchange.answer(status: 500) } else { exchange.answer("whole") }
        }
        let reports = Monitor<[String]>([])
        let isBroke = Monitor(false)
        let client = HTTPClient(retry: policy, retryEnvironment: time.retryEnvironment) {
            service throws(UpstreamError) in
            guard isBroke.withLock({ $0 }) else { return nil }
            throw UpstreamError(service: service, kind: .quotaExhausted, message: "used up")
        } afterAttempt: { service, failure, _ in
            reports.withLock { $0.append("\(service) \(failure?.rawValue ?? "ok")") }
        }
        _ = try await client.send(.text(HTTPRequest(server.url)))
        #expect(reports.withLock { $0 } == ["test unavailable", "test ok"])
        isBroke.withLock { $0 = true }
        let error = await failure { () async throws(UpstreamError) in
            try await client.send(.text(HTTPRequest(server.url + "/other")))
        }
        #expect(error?.kind == .quotaExhausted)
        #expect(reports.withLock(\.count) == 2)
    }

    @Test("The booking of an attempt is released only if nothing of the request was sent")
    func release() async throws {
        let booked = Monitor(0)
        let client = HTTPClient(retry: policy, retryEnvironment: time.retryEnvironment) { _ throws(UpstreamError) in
            booked.withLock { $0 += 1 }
            return { booked.withLock { $0 -= 1 } }
        }
        func count(after url: String) async -> Int {
            booked.withLock { $0 = 0 }
            let request = HTTPRequest(url, redirects: 1)
            _ = await failure { () async throws(UpstreamError) in try await client.send(.text(request)) }
            return booked.withLock { $0 }
        }
        let refusing = "http://127.0.0.1:\(try reservePort())"
        #expect(await count(after: refusing) == 0)
        #expect(await count(after: "http://nowhere.invalid/") == 0)
        let resetting = try ScriptedServer { $0.reset() }
        #expect(await count(after: resetting.url) == 3)
        let moved = try ScriptedServer { $0.answer(status: 302, headers: ["Location: \(refusing)"]) }
        #expect(await count(after: moved.url) == 3)
    }

    @Test("Broken connections are retried until one works")
    func healed() async throws {
        let server = try ScriptedServer { exchange in
            if exchange.number < 3 { exchange.reset() } else { exchange.answer("whole") }
        }
        let client = HTTPClient(retry: policy, retryEnvironment: time.retryEnvironment)
        #expect(try await client.send(.text(HTTPRequest(server.url))) == "whole")
        #expect(server.requests.count == 3)
    }

    @Test("A hanging attempt ends before the deadline, and the next one can succeed")
    func attemptTimeout() async throws {
        let server = try ScriptedServer { exchange in
            if exchange.number == 1 { exchange.waitForDisconnect() } else { exchange.answer("late") }
        }
        let client = HTTPClient(
            retry: RetryPolicy(attempts: 50, attemptTimeout: .seconds(2)),
            retryEnvironment: time.retryEnvironment)
        #expect(try await client.send(.text(HTTPRequest(server.url))) == "late")
    }

    @Test("A POST is sent once")
    func post() async throws {
        let server = try ScriptedServer { $0.answer(status: 503) }
        #expect(await ask(server, HTTPRequest(server.url, method: .post))?.kind == .maintenance)
        #expect(server.requests.count == 1)
    }

    @Test(
        "The client waits as long as Retry-After says", arguments: ["7", "7.0", "Sun, 06 Nov 1994 08:49:44 GMT"])
    func retryAfter(value: String) async throws {
        let server = try ScriptedServer { exchange in
            if exchange.number > 1 { return exchange.answer("there") }
            exchange.answer(status: 429, headers: ["Retry-After: \(value)"])
        }
        #expect(await ask(server) == nil)
        #expect(time.pauses == [.seconds(7)])
    }

    @Test("Of several pauses the longest counts, and a date is compared with the service's clock")
    func longestPause() async throws {
        let server = try ScriptedServer { exchange in
            if exchange.number > 1 { return exchange.answer("there") }
            exchange.answer(
                status: 503,
                headers: [
                    "Retry-After: 3", "Date: Sun, 06 Nov 1994 03:00:00 GMT",
                    "Retry-After: Sun, 06 Nov 1994 03:00:08 GMT",
                ])
        }
        #expect(await ask(server) == nil)
        #expect(time.pauses == [.seconds(8)])
    }

    @Test("A pause of more than a day is cut to a day, and the error says so")
    func tooLong() async throws {
        let server = try ScriptedServer { $0.answer(status: 503, headers: ["Retry-After: 172800"]) }
        let error = await ask(server)
        #expect(error?.retryAfter == .seconds(86_400))
        #expect(error?.message.contains("172800 s") == true)
    }

    @Test(
        "A Retry-After beyond the deadline ends the request, and the error contains it",
        arguments: ["3600", "Sun, 06 Nov 1994 09:49:37 GMT"])
    func longRetryAfter(value: String) async throws {
        let server = try ScriptedServer { $0.answer(status: 503, headers: ["Retry-After: \(value)"]) }
        let error = await ask(server)
        #expect(error?.kind == .maintenance)
        #expect(error?.retryAfter == .seconds(3600))
        #expect(server.requests.count == 1)
        #expect(time.pauses.isEmpty)
    }

    @Test("A 429 that the endpoint identifies as a used-up quota is final")
    func usedUp() async throws {
        let server = try ScriptedServer { $0.answer(status: 429) }
        let client = HTTPClient(retry: policy, retryEnvironment: time.retryEnvironment)
        let endpoint = APICall<Int>(service: "test", request: HTTPRequest(server.url)) {
            response throws(UpstreamError) in
            throw UpstreamError(service: "test", kind: .quotaExhausted, message: "used up", code: "-10")
        }
        let error = await failure { () async throws(UpstreamError) in try await client.send(endpoint) }
        #expect(error?.code == "-10")
        #expect(server.requests.count == 1)
    }

    @Test("A value that cannot be decoded is not requested again")
    func invalid() async throws {
        let server = try ScriptedServer { $0.answer(#"[1,"2"]"#) }
        let client = HTTPClient(retry: policy, retryEnvironment: time.retryEnvironment)
        let endpoint = APICall<[Int]>(service: "test", request: HTTPRequest(server.url))
        let error = await failure { () async throws(UpstreamError) in try await client.send(endpoint) }
        #expect(error?.kind == .invalid)
        #expect(error?.field == "[1]")
        #expect(server.requests.count == 1)
    }

    @Test("Every attempt is booked before it is made, and a used-up quota ends them")
    func booking() async throws {
        let server = try ScriptedServer { $0.answer(status: 500) }
        let account = Monitor(2)
        let client = HTTPClient(retry: policy, retryEnvironment: time.retryEnvironment) {
            service throws(UpstreamError) in
            let isEmpty = account.withLock { account in
                account -= 1
                return account < 0
            }
            if isEmpty {
                throw UpstreamError(service: service, kind: .quotaExhausted, message: "our budget is used up")
            }
            return nil
        }
        let error = await failure { () async throws(UpstreamError) in
            try await client.send(.text(HTTPRequest(server.url)))
        }
        #expect(error?.kind == .quotaExhausted)
        #expect(server.requests.count == 2)
    }

    private func ask(_ server: ScriptedServer, _ request: HTTPRequest? = nil) async -> UpstreamError? {
        let client = HTTPClient(retry: policy, retryEnvironment: time.retryEnvironment)
        return await failure { () async throws(UpstreamError) in
            try await client.send(.text(request ?? HTTPRequest(server.url)))
        }
    }
}
