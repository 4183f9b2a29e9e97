import TestSupport
import Testing

@testable import WebServer

@Suite struct ClientAddressTests {
    private func address(_ text: String) throws -> ClientAddress { try #require(ClientAddress(text)) }

    @Test(
        "the client is the last address that is no proxy's, whatever the client has written before it",
        arguments: [
            ("198.51.100.7", "198.51.100.7"), ("203.0.113.1, 198.51.100.7", "198.51.100.7"),
            ("198.51.100.7, 127.0.0.1", "198.51.100.7"), ("198.51.100.7,::ffff:127.0.0.1", "198.51.100.7"),
            ("203.0.113.1, nonsense", "127.0.0.1"), ("203.0.113.1, nonsense, 127.0.0.1", "127.0.0.1"),
            ("2001:db8::1", "2001:db8::1"), ("[2001:db8::1]", "2001:db8::1"), ("", "127.0.0.1"),
            ("203.0.113.1:4, 10.2.0.7:51234", "10.2.0.7"), ("[2001:db8::1]:443", "2001:db8::1"),
            (#""10.2.0.7", "127.0.0.1:80""#, "10.2.0.7"), (#""[2001:db8::1]:443""#, "2001:db8::1"),
            ("10.2.0.7:", "127.0.0.1"), ("10.2.0.7:65536", "127.0.0.1"), ("unknown", "127.0.0.1"),
        ])
    func forwarded(field: String, client: String) async throws {
        let server = try HTTPServer(address: "127.0.0.1:0", proxies: [try address("127.0.0.1")]) { request in
            .text(request.client?.description ?? "none")
        }
        let answer = try await RawClient.get(server.address, "/", fields: "X-Forwarded-For: \(field)\r\n")
        #expect(answer.hasSuffix("\r\n\r\n\(client)"))
        await server.shutdown(grace: .seconds(5))
    }

    @Test("several fields count as one, in order", .patience)
    func fields() async throws {
        let server = try HTTPServer(address: "127.0.0.1:0", proxies: [try address("127.0.0.1")]) { request in
            .text(request.client?.description ?? "none")
        }
        let fields = "X-Forwarded-For: 203.0.113.1\r\nX-Forwarded-For: 198.51.100.7\r\n"
        #expect(try await RawClient.get(server.address, "/", fields: fields).hasSuffix("\r\n\r\n198.51.100.7"))
        await server.shutdown(grace: .seconds(5))
    }

    @Test("a peer that is no proxy is the client, whatever it says", .patience)
    func stranger() async throws {
        let server = try HTTPServer(address: "127.0.0.1:0", proxies: [try address("192.0.2.1")]) { request in
            .text(request.client?.description ?? "none")
        }
        let answer = try await RawClient.get(server.address, "/", fields: "X-Forwarded-For: 203.0.113.1\r\n")
        #expect(answer.hasSuffix("\r\n\r\n127.0.0.1"))
        await server.shutdown(grace: .seconds(5))
    }

    @Test("an IPv6 client is its network of 64 bits; an IPv4 client is its address")
    func networks() throws {
        #expect(try address("2001:db8:1:2:3::4").network == address("2001:db8:1:2::").network)
        #expect(try address("2001:db8:1:3::").network != address("2001:db8:1:2::").network)
        #expect(try address("192.0.2.1").network != address("192.0.2.2").network)
        #expect(try address("::ffff:192.0.2.1") == address("192.0.2.1"))
        for text in ["::1", "127.8.0.1"] { #expect(try address(text).isLoopback) }
        #expect(try !address("10.0.0.1").isLoopback)
    }

    @Test("a text that is no address is none", arguments: ["", "1.2.3", "1.2.3.4:80", "[1.2.3.4]", "host", "1.2.3.4 "])
    func invalid(text: String) {
        #expect(ClientAddress(text) == nil)
    }
}
